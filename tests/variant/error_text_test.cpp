#include "variant/tmr/host/error_text.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

#include "taskmill/error.h"

namespace taskmill::tmr {
namespace {

using wire::Reason;

class ErrorTextTest : public testing::Test {
 protected:
  ErrorTextTest() {
    names_ = {"decode", {{2, "swiglu"}}, 24};
    error().code = 5;
    error().task = 17;
    error().kernel_id = 2;
    error().core = 27;
    error().argument = 1;
    error().needed = 1'000;
    error().available = 31;
    error().line = 12;
    std::strcpy(error().file, "decode.cpp");
  }
  wire::RunError& error() { return result_.error; }
  std::string text(Reason reason) {
    error().reason = reason;
    return error_text(result_, names_);
  }

  wire::ResultBlock result_ = {};
  RunNames names_;
};

TEST_F(ErrorTextTest, a_crash_names_task_kernel_core_signal_and_address) {
  error().needed = SIGSEGV;
  error().available = 0x10;
  result_.stuck_cores.set(27);
  EXPECT_EQ(text(Reason::kKernelTrap),
            "\"decode\": task 17 (kernel \"swiglu\", id 2) on AIV 3: the kernel raised SIGSEGV at address 0x10 "
            "(the device is lost: AIV 3 did not leave; open a new worker)");
}

TEST_F(ErrorTextTest, an_overdue_kernel_is_told_with_its_time_and_its_limit) {
  error().needed = 46'000'000'000;
  error().available = 45'000'000'000;
  error().core = 5;
  EXPECT_EQ(text(Reason::kKernelOverdue),
            "\"decode\": task 17 (kernel \"swiglu\", id 2) on AIC 5: the kernel ran for 46 s, its limit is 45 s");
}

TEST_F(ErrorTextTest, F19_a_scope_that_keeps_too_many_slots_is_told_by_file_and_line_with_both_numbers) {
  error().needed = 40;
  EXPECT_EQ(text(Reason::kRingSlots),
            "\"decode\": the scope at decode.cpp:12 must keep at least 40 task slots alive, the task ring has 31 usable ones: raise "
            "task_window or end scopes earlier");
}

TEST_F(ErrorTextTest, full_rings_name_the_task_the_scope_and_the_numbers) {
  EXPECT_EQ(
      text(Reason::kRingHeap),
      "\"decode\": task 17 (kernel \"swiglu\", id 2) needs 1,000 bytes of output heap in the scope at decode.cpp:12, 31 can become free: "
      "raise heap_bytes or end scopes earlier");
  error().file[0] = '\0';
  EXPECT_NE(text(Reason::kRingArguments).find("1,000 argument lines in the orchestration's own scope"), std::string::npos);
}

TEST_F(ErrorTextTest, a_stall_is_told_with_what_was_completed) {
  error().needed = 10'000'000'000;
  error().available = 10'000'000'000;
  result_.submitted = 7;
  result_.completed = 3;
  std::strcpy(error().message, "a core does not acknowledge its dispatch");
  const std::string stall = "\"decode\": nothing completed and no kernel ran for 10 s (limit 10 s): ";
  EXPECT_EQ(text(Reason::kNoProgress), stall +
                                           "a core does not acknowledge its dispatch: task 17 (kernel \"swiglu\", id 2) on AIV 3; "
                                           "completed: 3 of 7 submitted tasks");
  error().task = ~0u;
  std::strcpy(error().message, "no core has started");
  EXPECT_EQ(text(Reason::kNoProgress), stall + "no core has started: AIV 3; completed: 3 of 7 submitted tasks");
}

TEST_F(ErrorTextTest, a_stall_of_an_orchestration_that_did_not_return_says_nothing_of_what_was_submitted) {
  error().needed = error().available = 10'000'000'000;
  error().task = ~0u;
  error().core = -1;
  std::strcpy(error().message, "the orchestration neither submits nor returns");
  result_.submitted = wire::kSubmittedUnknown;
  result_.completed = 3;
  EXPECT_EQ(text(Reason::kNoProgress),
            "\"decode\": nothing completed and no kernel ran for 10 s (limit 10 s): the orchestration neither submits nor returns; "
            "completed: 3 tasks");
}

TEST_F(ErrorTextTest, a_refused_launch_is_told_with_what_the_device_program_found) {
  std::strcpy(error().message, "the trace region is too small");
  EXPECT_EQ(text(Reason::kLaunchRegion), "\"decode\": a region of the launch needs 1,000 bytes and has 31: the trace region is too small");
  std::strcpy(error().message, "scheduler threads");
  EXPECT_EQ(text(Reason::kLaunchShape), "\"decode\": the launch asks for 1,000 scheduler threads, the device program drives at most 31");
}

TEST_F(ErrorTextTest, what_the_orchestration_reports_or_throws_is_quoted) {
  std::strcpy(error().message, "batch is empty");
  EXPECT_EQ(text(Reason::kReported), "\"decode\": the orchestration reported: batch is empty");
  EXPECT_EQ(text(Reason::kThrew), "\"decode\": an exception left the orchestration: batch is empty");
}

TEST_F(ErrorTextTest, a_message_that_fills_its_field_ends_there) {
  std::memset(error().message, 'x', sizeof error().message);
  EXPECT_EQ(text(Reason::kReported), "\"decode\": the orchestration reported: " + std::string(128, 'x'));
}

TEST_F(ErrorTextTest, an_unknown_kernel_id_has_no_name) {
  error().kernel_id = 9;
  error().available = 8;
  const std::string sentence = "\"decode\": task 17 (kernel id 9) names a kernel id that the callable does not have ";
  EXPECT_EQ(text(Reason::kUnknownKernelId), sentence + "(ids 0 to 7 are looked up)");
  error().available = 0;
  EXPECT_EQ(text(Reason::kUnknownKernelId), sentence + "(it has no kernels)");
}

TEST_F(ErrorTextTest, each_reason_about_an_argument_names_it_and_its_numbers) {
  const std::string argument = "\"decode\": argument 1 of task 17 (kernel \"swiglu\", id 2) ";
  EXPECT_EQ(text(Reason::kForeignTensor), argument + "is not a tensor of this run");
  EXPECT_EQ(text(Reason::kScopeEnded), argument + "names a buffer whose scope has ended");
  EXPECT_EQ(text(Reason::kOutsideBuffer), argument + "reaches to byte 1,000 of a buffer of 31 bytes");
  EXPECT_EQ(text(Reason::kBadView), argument + "is a view with bounds outside the tensor that it was taken from");
  EXPECT_EQ(text(Reason::kBadShape), argument + "has rank 1,000, a tensor has rank 1 to 5");
  EXPECT_EQ(text(Reason::kBadDataType), argument + "has dtype 1,000, there are 31");
  EXPECT_EQ(text(Reason::kOutputTooLarge), argument + "needs 1,000 bytes of output heap, the whole heap has 31: raise heap_bytes");
}

TEST_F(ErrorTextTest, no_reason_has_the_text_of_another) {
  std::map<std::string, int> seen;
  for (int reason = 0; reason <= static_cast<int>(Reason::kLaunchShape); ++reason) {
    const std::string sentence = text(static_cast<Reason>(reason));
    EXPECT_TRUE(seen.emplace(sentence, reason).second) << reason << " and " << seen[sentence] << ": " << sentence;
  }
}

}  // namespace
}  // namespace taskmill::tmr
