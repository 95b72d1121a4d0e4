#include "toolchain/compiler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "support/file.h"

namespace taskmill::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernel = "#include <taskmill/kernel.h>\nextern \"C\" void kernel_entry(int64_t* args) { args[0] = 0; }\n";

// A home with the real headers and a small support source, a cache and a place for sources, all of one test.
class CompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(home_.root);
    fs::create_directory_symlink(find_home()->include(), home_.include());
    write_support("extern \"C\" int support_part() { return 1; }\n");
  }
  void TearDown() override { unsetenv("TASKMILL_CXX"); }

  void write_support(const std::string& text) { ASSERT_TRUE(replace_file(home_.support() / "orchestration_support.cpp", text)); }
  fs::path write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / "sources" / name;
    EXPECT_TRUE(replace_file(path, text));
    return path;
  }
  Compiler open() { return *Compiler::open(home_, folder_.path() / "cache"); }
  CompileRequest kernel(const std::string& text, Flags flags = {"-O0"}) {
    CompileRequest request;
    request.label = "kernel \"k\" (id 3)";
    request.source = write("k.cpp", text);
    request.flags = std::move(flags);
    return request;
  }
  CompileRequest orchestration(const std::string& text) {
    CompileRequest request = kernel("");
    request.kind = SourceKind::kOrchestration;
    request.label = "orchestration of \"c\"";
    request.source = write("o.cpp", text);
    request.symbol = "entry";
    return request;
  }
  // Compiles and says whether the object came from the cache.
  bool hits(Compiler& compiler, const CompileRequest& request) {
    const uint64_t before = compiler.stats().hits;
    const Result<std::string> object = compiler.compile(request);
    EXPECT_TRUE(object) << object.error().message;
    return compiler.stats().hits == before + 1;
  }

  const TemporaryFolder folder_ = *TemporaryFolder::make("taskmill-test-");
  const Home home_{folder_.path() / "home"};
};

TEST_F(CompilerTest, a_kernel_becomes_a_shared_object_once) {
  Compiler compiler = open();
  const Result<std::string> first = compiler.compile(kernel(kKernel));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->substr(1, 3), "ELF");
  Compiler another = open();
  EXPECT_EQ(another.compile(kernel(kKernel)).value(), *first);
  EXPECT_EQ(compiler.stats().misses, 1u);
  EXPECT_EQ(another.stats().hits, 1u);
  EXPECT_EQ(another.stats().misses, 0u);
}

TEST_F(CompilerTest, comments_and_empty_lines_of_a_kernel_change_nothing_and_its_text_does) {
  Compiler compiler = open();
  EXPECT_FALSE(hits(compiler, kernel(kKernel)));
  EXPECT_TRUE(hits(compiler, kernel(std::string("// a comment\n\n") + kKernel)));
  EXPECT_FALSE(hits(compiler, kernel(std::string("int other;\n") + kKernel)));
}

TEST_F(CompilerTest, a_changed_header_builds_again) {
  Compiler compiler = open();
  write("shared.h", "inline int shared() { return 1; }\n");
  const CompileRequest request = kernel(std::string("#include \"shared.h\"\n") + kKernel);
  EXPECT_FALSE(hits(compiler, request));
  EXPECT_TRUE(hits(compiler, request));
  write("shared.h", "inline int shared() { return 2; }\n");
  EXPECT_FALSE(hits(compiler, request));
}

TEST_F(CompilerTest, flags_and_core_type_are_parts_of_the_key) {
  Compiler compiler = open();
  CompileRequest request = kernel(kKernel);
  EXPECT_FALSE(hits(compiler, request));
  request.flags = {"-O1"};
  EXPECT_FALSE(hits(compiler, request));
  request.core_type = CoreType::kAic;
  EXPECT_FALSE(hits(compiler, request));
  EXPECT_TRUE(hits(compiler, request));
}

TEST_F(CompilerTest, flags_of_the_linker_and_the_assembler_are_parts_of_the_key) {
  Compiler compiler = open();
  EXPECT_FALSE(hits(compiler, kernel(kKernel)));
  const Flags each_alone[] = {{"-O0", "-Wl,-soname,one"}, {"-O0", "-Wl,-soname,two"}, {"-O0", "-Wa,--strip-local-absolute"}};
  for (const Flags& flags : each_alone) {
    EXPECT_FALSE(hits(compiler, kernel(kKernel, flags))) << flags.back();
    EXPECT_TRUE(hits(compiler, kernel(kKernel, flags))) << flags.back();
  }
}

TEST_F(CompilerTest, lines_of_a_raw_string_are_text) {
  const std::string kernel_text = kKernel;
  Compiler compiler = open();
  EXPECT_FALSE(hits(compiler, kernel(kernel_text + "const char* text = R\"(a\nb)\";\n")));
  EXPECT_FALSE(hits(compiler, kernel(kernel_text + "const char* text = R\"(a\n\nb)\";\n")));
  EXPECT_FALSE(hits(compiler, kernel(kernel_text + "const char* text = R\"(a\n# 1 b\nb)\";\n")));
}

TEST_F(CompilerTest, native_is_written_out_for_the_cpu_at_hand) {
  const SystemCompiler compiler = *SystemCompiler::find();
  const Result<std::string> resolved = compiler.resolve({"-march=native"});
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_NE(resolved->find("cc1plus"), std::string::npos) << *resolved;
  EXPECT_EQ(resolved->find("-march=native"), std::string::npos) << *resolved;
  EXPECT_NE(*resolved, *compiler.resolve({"-march=x86-64"}));
}

TEST_F(CompilerTest, an_orchestration_moved_by_a_line_builds_again_since_its_scopes_know_their_lines) {
  const std::string text =
      "#include <taskmill/orchestration.h>\nextern \"C\" void entry(const taskmill::OrchestrationArgs&) {}\n"
      "taskmill::OrchestrationBinding taskmill_orchestration_binding;\n";
  Compiler compiler = open();
  EXPECT_FALSE(hits(compiler, orchestration(text)));
  EXPECT_TRUE(hits(compiler, orchestration(text)));
  EXPECT_FALSE(hits(compiler, orchestration("\n" + text)));
}

TEST_F(CompilerTest, an_orchestration_is_linked_with_the_support_source_and_built_again_when_that_changes) {
  const std::string text = "extern \"C\" int support_part();\nextern \"C\" int entry() { return support_part(); }\n";
  Compiler compiler = open();
  EXPECT_FALSE(hits(compiler, orchestration(text)));
  write_support("extern \"C\" int support_part() { return 2; }\n");
  EXPECT_FALSE(hits(compiler, orchestration(text)));
}

TEST_F(CompilerTest, a_source_that_does_not_compile_is_told_by_file_and_line_first) {
  Compiler compiler = open();
  const CompileRequest request =
      kernel("#include <taskmill/kernel.h>\n\nextern \"C\" void kernel_entry(int64_t* args) { args[0] = nowhere; }\n");
  const Result<std::string> object = compiler.compile(request);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kCompileFailed);
  const std::string start = "kernel \"k\" (id 3): " + request.source.string() + ":3:";
  EXPECT_EQ(object.error().message.substr(0, start.size()), start) << object.error().message;
  EXPECT_NE(object.error().message.find("'nowhere' was not declared"), std::string::npos) << object.error().message;
  EXPECT_EQ(compiler.stats().misses, 0u);
}

TEST_F(CompilerTest, a_header_that_is_missing_is_told_by_file_and_line) {
  Compiler compiler = open();
  const CompileRequest request = kernel("#include \"missing.h\"\n");
  const Result<std::string> object = compiler.compile(request);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kCompileFailed);
  EXPECT_NE(object.error().message.find(request.source.string() + ":1:10: fatal error: missing.h"), std::string::npos)
      << object.error().message;
}

TEST_F(CompilerTest, a_function_that_nobody_defines_is_the_linkers_error) {
  Compiler compiler = open();
  const Result<std::string> object = compiler.compile(kernel("void helper();\nextern \"C\" void kernel_entry(long*) { helper(); }\n"));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kCompileFailed);
  EXPECT_NE(object.error().message.find("undefined reference to `helper()'"), std::string::npos) << object.error().message;
}

TEST_F(CompilerTest, a_source_that_does_not_exist_is_told_by_its_path) {
  Compiler compiler = open();
  CompileRequest request = kernel(kKernel);
  request.source = folder_.path() / "none.cpp";
  const Result<std::string> object = compiler.compile(request);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kIoFailed);
  EXPECT_EQ(object.error().message, "kernel \"k\" (id 3): there is no source file " + request.source.string());
}

TEST_F(CompilerTest, an_empty_path_is_an_error_like_any_other) {
  Compiler compiler = open();
  CompileRequest request = kernel(kKernel);
  request.source.clear();
  const std::vector<Result<std::string>> objects = compiler.compile_all({request, request});
  for (const Result<std::string>& object : objects) {
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().code, ErrorCode::kIoFailed);
    EXPECT_EQ(object.error().message, "kernel \"k\" (id 3): source file \"\": Invalid argument");
  }
}

TEST_F(CompilerTest, an_entry_without_c_linkage_is_told_with_what_is_exported_and_what_to_write) {
  Compiler compiler = open();
  const Result<std::string> object = compiler.compile(kernel("void kernel_entry(long*) {}\nvoid other() {}\n"));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kMissingSymbol);
  EXPECT_NE(object.error().message.find("k.cpp does not export \"kernel_entry\" with C linkage (write extern \"C\" before it)"),
            std::string::npos)
      << object.error().message;
  EXPECT_NE(object.error().message.find("other()"), std::string::npos) << object.error().message;
}

TEST_F(CompilerTest, an_object_without_the_symbol_is_told_each_time_also_from_the_cache) {
  Compiler compiler = open();
  CompileRequest request = kernel("extern \"C\" void elsewhere(long*) {}\n");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Result<std::string> object = compiler.compile(request);
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().code, ErrorCode::kMissingSymbol);
    EXPECT_NE(object.error().message.find("does not export \"kernel_entry\"; it exports elsewhere"), std::string::npos)
        << object.error().message;
  }
  EXPECT_EQ(compiler.stats().hits, 1u);
  request.symbol = "elsewhere";
  EXPECT_TRUE(hits(compiler, request));
}

TEST_F(CompilerTest, a_damaged_entry_is_built_again) {
  Compiler compiler = open();
  const CompileRequest request = kernel(kKernel);
  const Result<std::string> sound = compiler.compile(request);
  ASSERT_TRUE(sound);
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache")) {
    if (!entry.is_regular_file()) continue;
    ASSERT_TRUE(replace_file(entry.path(), read_file(entry.path())->substr(0, 100)));
  }
  EXPECT_EQ(compiler.compile(request).value(), *sound);
  EXPECT_EQ(compiler.stats().misses, 2u);
  EXPECT_TRUE(hits(compiler, request));
}

TEST_F(CompilerTest, many_requests_come_back_in_their_order) {
  Compiler compiler = open();
  std::vector<CompileRequest> requests;
  for (int i = 0; i < 5; ++i) {
    requests.push_back(kernel(kKernel));
    requests.back().source =
        write(std::to_string(i) + ".cpp", i == 3 ? "broken\n" : kKernel + std::string("int number = ") + std::to_string(i) + ";\n");
  }
  const std::vector<Result<std::string>> objects = compiler.compile_all(requests);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(objects[i].has_value(), i != 3);
  EXPECT_EQ(compiler.stats().misses, 4u);
  EXPECT_EQ(*objects[4], compiler.compile(requests[4]).value());
}

TEST_F(CompilerTest, several_processes_may_fill_one_cache_at_once) {
  const CompileRequest request = kernel(kKernel);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Compiler compiler = open();
      _exit(compiler.compile(request) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  Compiler compiler = open();
  EXPECT_TRUE(hits(compiler, request));
}

TEST_F(CompilerTest, a_missing_compiler_is_told_with_the_variable_that_names_another) {
  setenv("TASKMILL_CXX", "no-such-compiler", 1);
  const Result<Compiler> compiler = Compiler::open(home_, folder_.path() / "cache");
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().code, ErrorCode::kCompileFailed);
  EXPECT_NE(compiler.error().message.find("\"no-such-compiler\" cannot be run"), std::string::npos) << compiler.error().message;
  EXPECT_NE(compiler.error().message.find("TASKMILL_CXX"), std::string::npos) << compiler.error().message;
}

TEST(CacheFolder, comes_from_the_first_variable_that_is_set) {
  setenv("TASKMILL_CACHE_DIR", "/one", 1);
  setenv("XDG_CACHE_HOME", "/two", 1);
  EXPECT_EQ(*default_cache_folder(), "/one");
  unsetenv("TASKMILL_CACHE_DIR");
  EXPECT_EQ(*default_cache_folder(), "/two/taskmill");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(*default_cache_folder(), fs::path(std::getenv("HOME")) / ".cache" / "taskmill");
}

}  // namespace
}  // namespace taskmill::toolchain
