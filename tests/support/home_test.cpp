#include "support/home.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/file.h"

namespace taskmill {
namespace {

class HomeTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TASKMILL_HOME"); }
};

TEST_F(HomeTest, a_build_tree_finds_its_own_home) {
  unsetenv("TASKMILL_HOME");
  const Result<Home> home = find_home();
  ASSERT_TRUE(home) << home.error().message;
  EXPECT_TRUE(std::filesystem::exists(home->include() / "taskmill" / "orchestration.h"));
}

TEST_F(HomeTest, the_environment_names_another_one) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  ASSERT_TRUE(replace_file(folder.path() / "include" / "taskmill" / "kernel.h", ""));
  setenv("TASKMILL_HOME", folder.path().c_str(), 1);
  const Result<Home> home = find_home();
  ASSERT_TRUE(home) << home.error().message;
  EXPECT_EQ(home->root, folder.path());
  EXPECT_EQ(home->device_program("aicpu", "a5"), folder.path() / "device" / "taskmill_aicpu_a5.so");
}

TEST_F(HomeTest, a_program_names_its_own_unless_the_environment_does) {
  const TemporaryFolder given = *TemporaryFolder::make("given"), wanted = *TemporaryFolder::make("wanted");
  for (const TemporaryFolder* folder : {&given, &wanted}) {
    ASSERT_TRUE(replace_file(folder->path() / "include" / "taskmill" / "kernel.h", ""));
  }
  unsetenv("TASKMILL_HOME");
  EXPECT_EQ(find_home(given.path())->root, given.path());
  setenv("TASKMILL_HOME", wanted.path().c_str(), 1);
  EXPECT_EQ(find_home(given.path())->root, wanted.path());
}

TEST_F(HomeTest, a_given_place_without_headers_is_refused_by_name) {
  unsetenv("TASKMILL_HOME");
  const Result<Home> home = find_home("/nowhere/taskmill");
  ASSERT_FALSE(home);
  EXPECT_NE(home.error().message.find("/nowhere/taskmill"), std::string::npos) << home.error().message;
}

TEST_F(HomeTest, a_place_without_headers_is_refused_by_name) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  setenv("TASKMILL_HOME", folder.path().c_str(), 1);
  const Result<Home> home = find_home();
  ASSERT_FALSE(home);
  EXPECT_EQ(home.error().code, ErrorCode::kIoFailed);
  EXPECT_NE(home.error().message.find(folder.path().string()), std::string::npos) << home.error().message;
}

}  // namespace
}  // namespace taskmill
