#include "support/subprocess.h"

#include <gtest/gtest.h>

#include <csignal>

namespace taskmill {
namespace {

TEST(Subprocess, output_errors_and_exit_code_come_back_apart) {
  const Result<ProcessResult> result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(Subprocess, both_streams_may_be_larger_than_a_pipe_holds) {
  const Result<ProcessResult> result = run_process({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output.size(), 300'000u);
  EXPECT_EQ(result->errors.size(), 300'000u);
}

TEST(Subprocess, words_reach_the_command_as_they_are) {
  const Result<ProcessResult> result = run_process({"printf", "%s", "a b; $HOME 'c'"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "a b; $HOME 'c'");
}

TEST(Subprocess, a_signal_is_told_as_a_shell_does) {
  const Result<ProcessResult> result = run_process({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->exit_code, 137);
}

// With SIGCHLD ignored, the system keeps no exit code of a child.
TEST(Subprocess, an_exit_code_that_is_not_to_be_had_is_an_error_and_no_success) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Result<ProcessResult> result = run_process({"false"});
  std::signal(SIGCHLD, before);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIoFailed);
  EXPECT_EQ(result.error().message, "cannot wait for false: No child processes");
}

TEST(Subprocess, a_command_that_does_not_exist_is_named) {
  const Result<ProcessResult> result = run_process({"no-such-command-here"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIoFailed);
  EXPECT_EQ(result.error().message, "cannot start no-such-command-here: No such file or directory");
}

}  // namespace
}  // namespace taskmill
