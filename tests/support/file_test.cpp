#include "support/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace taskmill {
namespace {

namespace fs = std::filesystem;

TEST(File, what_was_written_is_read_and_folders_are_made) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  const fs::path path = folder.path() / "a" / "b" / "file";
  const std::string contents("with a zero \0 inside", 20);
  ASSERT_TRUE(replace_file(path, contents));
  EXPECT_EQ(*read_file(path), contents);
  ASSERT_TRUE(replace_file(path, "shorter"));
  EXPECT_EQ(*read_file(path), "shorter");
}

TEST(File, a_missing_file_is_told_with_its_path_and_the_reason) {
  const Result<std::string> contents = read_file("/nowhere/at/all");
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code, ErrorCode::kIoFailed);
  EXPECT_EQ(contents.error().message, "cannot open /nowhere/at/all: No such file or directory");
}

TEST(File, a_folder_is_not_read_as_a_file) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  const Result<std::string> contents = read_file(folder.path());
  ASSERT_FALSE(contents);
  EXPECT_NE(contents.error().message.find("Is a directory"), std::string::npos) << contents.error().message;
}

TEST(File, a_replacement_that_fails_leaves_nothing_behind) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  fs::create_directories(folder.path() / "taken" / "inside");
  const Result<void> replaced = replace_file(folder.path() / "taken", "contents");
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, ErrorCode::kIoFailed);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(File, readers_see_the_old_contents_or_the_new_while_a_writer_replaces_them) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  const fs::path path = folder.path() / "file";
  const std::string texts[2] = {std::string(100'000, 'a'), std::string(50'000, 'b')};
  ASSERT_TRUE(replace_file(path, texts[0]));
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(replace_file(path, texts[i & 1]));
  });
  for (int i = 0; i < 200; ++i) {
    const Result<std::string> seen = read_file(path);
    ASSERT_TRUE(seen);
    EXPECT_TRUE(*seen == texts[0] || *seen == texts[1]);
  }
  writer.join();
}

TEST(File, a_temporary_folder_goes_with_all_it_holds) {
  fs::path path;
  {
    const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
    path = folder.path();
    ASSERT_TRUE(replace_file(path / "deep" / "file", "x"));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace taskmill
