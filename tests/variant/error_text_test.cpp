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
  error().ring = 1;
  EXPECT_EQ(text(Reason::kRingSlots),
            "\"decode\": the scope at decode.cpp:12 must keep at least 40 task slots alive, the task ring of scope depth 1 has 31 "
            "usable ones: raise task_window or end scopes earlier");
}

TEST_F(ErrorTextTest, full_rings_name_the_task_the_scope_the_ring_and_the_numbers) {
  const std::string task = "\"decode\": task 17 (kernel \"swiglu\", id 2) needs ";
  error().ring = 3;
  EXPECT_EQ(text(Reason::kRingHeap),
            task +
                "1,000 bytes of output heap in the scope at decode.cpp:12, 31 of the heap ring of scope depths 3 and deeper can become "
                "free: raise heap_bytes or end scopes earlier");
  error().ring = 0;
  error().file[0] = '\0';
  EXPECT_EQ(text(Reason::kRingArguments),
            task +
                "1,000 argument lines in the orchestration's own scope, 31 of the argument ring of scope depth 0 can become free: raise "
                "argument_lines or end scopes earlier");
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
  error().available = 2;
  EXPECT_EQ(text(Reason::kLaunchRules), "\"decode\": the launch asks for dependency rules 1,000, the device program has 0 to 1");
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
  EXPECT_EQ(text(Reason::kOutputTooLarge),
            argument + "needs 1,000 bytes of output heap, the whole heap ring of scope depth 0 has 31: raise heap_bytes");
}

TEST_F(ErrorTextTest, a_tensor_given_by_address_is_told_with_the_address_or_with_both_buffers_that_it_touches) {
  const std::string argument = "\"decode\": argument 1 of task 17 (kernel \"swiglu\", id 2) is given by address ";
  error().needed = 0xABC0;
  EXPECT_EQ(text(Reason::kUnknownAddress), argument + "0xabc0, which lies in no buffer of this run");
  error().needed = 4;
  error().available = (uint64_t{1} << 32) + 9;
  EXPECT_EQ(text(Reason::kBridgesRoots),
            argument + "and begins in the run's argument 4 but ends in a buffer that task 9 made: a tensor lies in one buffer");
}

TEST_F(ErrorTextTest, a_dependency_that_names_no_task_is_told_with_the_id_and_what_it_would_mean) {
  const std::string dependency = "\"decode\": dependency 1 of task 17 (kernel \"swiglu\", id 2) is task id ";
  error().needed = (uint64_t{2} << 32) + 1'234;
  EXPECT_EQ(text(Reason::kUnknownTask), dependency + "0x2000004d2 (number 1,234 of scope depth 2), which no submit has given out");
  error().needed = ~uint64_t{0};
  EXPECT_EQ(text(Reason::kUnknownTask), dependency + "0xffffffffffffffff, which no submit has given out");
}

TEST_F(ErrorTextTest, too_many_of_what_a_submit_lists_are_told_with_the_limit) {
  const std::string task = "\"decode\": task 17 (kernel \"swiglu\", id 2) is given 1,000 ";
  EXPECT_EQ(text(Reason::kTooManyTensors), task + "tensors, at most 31 are possible");
  EXPECT_EQ(text(Reason::kTooManyScalars), task + "scalars, at most 31 are possible");
  EXPECT_EQ(text(Reason::kTooManyDependencies), task + "dependencies, at most 31 are possible");
}

TEST_F(ErrorTextTest, an_allocation_of_anything_but_buffers_is_told_with_what_it_takes) {
  error().kernel_id = -1;
  EXPECT_EQ(text(Reason::kNothingToAllocate),
            "\"decode\": task 17 only makes buffers: alloc_tensors takes 1 to 32 specifications and nothing else");
}

TEST_F(ErrorTextTest, a_value_that_an_enum_does_not_have_is_told_with_its_number) {
  error().needed = 77;
  error().argument = 2;
  EXPECT_NE(text(Reason::kUnknownValue).find("has a mode numbered 77, which does not exist"), std::string::npos);
  error().argument = -1;
  EXPECT_NE(text(Reason::kUnknownValue).find("has a kind or core type numbered 77, which does not exist"), std::string::npos);
}

TEST_F(ErrorTextTest, an_element_access_is_told_by_its_scope_and_the_numbers_of_its_index) {
  const std::string access = "\"decode\": an element access in the scope at decode.cpp:12 ";
  EXPECT_EQ(text(Reason::kIndexOutside), access + "has index 1,000 in dimension 1, where the tensor has extent 31");
  error().needed = 3;
  error().available = 2;
  EXPECT_EQ(text(Reason::kBadIndex), access + "gives 3 index numbers for a tensor of rank 2: give one for each dimension, or none");
  error().argument = -1;
  EXPECT_EQ(text(Reason::kScopeEnded),
            "\"decode\": the tensor of an element access in the scope at decode.cpp:12 names a buffer whose scope has ended");
}

TEST_F(ErrorTextTest, scopes_that_cannot_be_opened_or_ended_are_told_by_their_place) {
  EXPECT_EQ(text(Reason::kAutoInManual),
            "\"decode\": the scope at decode.cpp:12 is AUTO and lies in a MANUAL one, which holds MANUAL scopes only");
  EXPECT_EQ(text(Reason::kScopeDepth), "\"decode\": the scope at decode.cpp:12 is nested 1,000 deep, at most 31 is possible");
  EXPECT_EQ(text(Reason::kScopeUnderflow), "\"decode\": a scope is ended that was never begun");
}

TEST_F(ErrorTextTest, no_reason_has_the_text_of_another) {
  std::map<std::string, int> seen;
  for (int reason = 0; reason <= static_cast<int>(Reason::kLaunchRules); ++reason) {
    const std::string sentence = text(static_cast<Reason>(reason));
    EXPECT_TRUE(seen.emplace(sentence, reason).second) << reason << " and " << seen[sentence] << ": " << sentence;
  }
}

}  // namespace
}  // namespace taskmill::tmr
