#include "toolchain/symbols.h"

#include <gtest/gtest.h>

#include "support/file.h"
#include "support/subprocess.h"

namespace taskmill::toolchain {
namespace {

class SymbolsTest : public testing::Test {
 protected:
  std::string object_of(const std::string& source) {
    EXPECT_TRUE(replace_file(folder_.path() / "o.cpp", source));
    const std::string object = (folder_.path() / "o.so").string();
    const Result<ProcessResult> compiler = run_process({"g++", "-shared", "-fPIC", (folder_.path() / "o.cpp").string(), "-o", object});
    EXPECT_TRUE(compiler && compiler->exit_code == 0);
    return *read_file(object);
  }
  const TemporaryFolder folder_ = *TemporaryFolder::make("taskmill-test-");
};

TEST_F(SymbolsTest, strong_definitions_are_exports_and_nothing_else_is) {
  const std::string object = object_of(
      "extern \"C\" void entry() {}\nvoid cpp(int) {}\ninline int weak() { return 1; }\nint (*use)() = &weak;\n"
      "static void hidden() {}\nextern \"C\" void other(); void call() { hidden(); other(); }\n");
  EXPECT_EQ(*exported_symbols(object), (std::vector<std::string>{"_Z3cppi", "_Z4callv", "entry", "use"}));
}

TEST_F(SymbolsTest, what_is_no_object_is_refused) {
  EXPECT_EQ(exported_symbols("").error().code, ErrorCode::kLoadFailed);
  EXPECT_EQ(exported_symbols(std::string(1'000, 'x')).error().message, "not a 64-bit ELF object");
}

TEST_F(SymbolsTest, an_object_cut_short_or_damaged_anywhere_is_read_within_its_bounds) {
  const std::string object = object_of("extern \"C\" void entry() {}\n");
  for (size_t bytes = 0; bytes < object.size(); bytes += 97) (void)exported_symbols(object.substr(0, bytes));
  EXPECT_FALSE(exported_symbols(object.substr(0, object.size() / 2)));  // the section table ends the file
  for (size_t place = 16; place < 64; ++place) {                        // every field of the header
    std::string damaged = object;
    damaged[place] = '\xff';
    (void)exported_symbols(damaged);
  }
}

}  // namespace
}  // namespace taskmill::toolchain
