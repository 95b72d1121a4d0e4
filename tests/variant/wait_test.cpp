#include <algorithm>

#include "variant/fixture.h"
#include "wire/mailbox.h"
#include "wire/token.h"

namespace taskmill::tmr {
namespace {

class WaitTest : public RunTest {
 protected:
  RunBindings launch() {
    RunBindings run = *bind_run(*slot_, inputs_);
    EXPECT_TRUE(launch_run(*slot_, run));
    return run;
  }
  // `handle` times out so many times.
  void delay(Handle handle, int times) {
    device_.on_synchronize = [handle, left = times](Handle asked) mutable -> Result<void> {
      if (asked == handle && left-- > 0) return fail(ErrorCode::kTimedOut, "still running");
      return {};
    };
  }
  int times_synchronized(Handle handle) const { return static_cast<int>(std::ranges::count(device_.synchronized, handle)); }
};

TEST_F(WaitTest, a_run_is_done_when_its_two_events_and_its_result_word_are_there) {
  RunBindings run = launch();
  const auto result = wait_run(*slot_, run);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ((*result)->run_serial, run.serial);
  EXPECT_EQ(device_.synchronized, (std::vector<Handle>{slot_->aicpu_event(), slot_->aicore_event()}));
}

TEST_F(WaitTest, what_the_program_wrote_comes_back_with_its_error) {
  device_.program = [](const wire::LaunchBlock& launch, wire::ResultBlock* result) {
    result->error.code = 9;
    result->completed = 5;
    result->run_serial = launch.run_serial;
  };
  RunBindings run = launch();
  const auto result = wait_run(*slot_, run);
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->error.code, 9);
  EXPECT_EQ((*result)->completed, 5u);
}

TEST_F(WaitTest, a_run_that_takes_long_is_waited_for_and_the_device_is_probed_by_a_stream_that_is_not_the_runs) {
  RunBindings run = launch();
  delay(slot_->aicpu_event(), 3);
  device_.program = {};
  ASSERT_TRUE(wait_run(*slot_, run));
  EXPECT_EQ(times_synchronized(slot_->helper_stream()), 3);
  EXPECT_EQ(times_synchronized(slot_->aicore_stream()) + times_synchronized(slot_->aicpu_stream()), 0);
}

TEST_F(WaitTest, a_run_may_take_as_long_as_its_cores_stay) {
  device_.program = [](const wire::LaunchBlock&, wire::ResultBlock*) {};
  device_.complete = [](Handle) { return false; };
  RunBindings run = launch();
  device_.on_synchronize = [this, &run, left = 200](Handle asked) mutable -> Result<void> {
    if (asked != slot_->aicpu_event()) return {};
    if (left-- > 0) return fail(ErrorCode::kTimedOut, "still running");
    reinterpret_cast<wire::ResultBlock*>(slot_->result().address())->run_serial = run.serial;
    return {};
  };
  const auto result = wait_run(*slot_, run);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(device_.abandoned.empty());
}

TEST_F(WaitTest, cores_that_left_a_run_that_does_not_end_are_a_fault_that_the_streams_are_asked_for) {
  device_.program = [](const wire::LaunchBlock&, wire::ResultBlock*) {};
  RunBindings run = launch();
  device_.on_synchronize = [this](Handle asked) -> Result<void> {
    if (asked == slot_->aicore_stream()) return fail(ErrorCode::kDeviceFault, "the launch was lost");
    if (asked == slot_->aicpu_event()) return fail(ErrorCode::kTimedOut, "still running");
    return {};
  };
  EXPECT_EQ(wait_run(*slot_, run).error().message, "the launch was lost");
}

TEST_F(WaitTest, A11_cores_that_stay_behind_an_aicpu_program_that_is_gone_are_made_to_leave) {
  device_.program = [](const wire::LaunchBlock&, wire::ResultBlock*) {};
  RunBindings run = launch();
  device_.on_synchronize = [this, left = 1](Handle asked) mutable -> Result<void> {
    if (asked == slot_->aicore_stream() && left-- > 0) return fail(ErrorCode::kTimedOut, "still running");
    if (asked == slot_->aicpu_stream()) return fail(ErrorCode::kDeviceFault, "the program died");
    return {};
  };
  EXPECT_EQ(wait_run(*slot_, run).error().message, "the program died");
  const auto* registers = reinterpret_cast<const wire::CoreRegisters*>(slot_->registers().address());
  EXPECT_EQ(registers[71].dispatch_, wire::make_token(wire::run_generation(run.serial), wire::kExitSequence));
}

TEST_F(WaitTest, A11_stuck_cores_on_a_device_that_cannot_be_abandoned_keep_the_leases) {
  device_.program = [](const wire::LaunchBlock& launch, wire::ResultBlock* result) {
    result->stuck_cores.set(30);
    result->run_serial = launch.run_serial;
  };
  device_.can_abandon = false;
  RunBindings run = launch();
  ASSERT_TRUE(wait_run(*slot_, run));
  EXPECT_TRUE(run.quarantined);
}

// Each way in which waiting can fail, with cores that do not leave and a device that cannot be abandoned.
class WaitFailureTest : public WaitTest {
 protected:
  // Returns the error of a wait of which `failing` fails.
  Error wait_that_fails(std::function<Result<void>(Handle)> failing) {
    add_one_of_each_direction();
    device_.can_abandon = false;
    run_ = launch();
    device_.on_synchronize = [this, failing = std::move(failing)](Handle asked) -> Result<void> {
      if (asked == slot_->aicore_stream()) return fail(ErrorCode::kTimedOut, "still running");
      return failing(asked);
    };
    return wait_run(*slot_, run_).error();
  }
  void expect_quarantine() {
    const uint64_t calls = device_.calls;
    EXPECT_TRUE(run_.quarantined);
    EXPECT_TRUE(release_run_bindings(*slot_, run_));
    EXPECT_EQ(bind_run(*slot_, inputs_).error().code, ErrorCode::kDeviceLost);
    slot_.reset();
    EXPECT_EQ(device_.calls, calls);
  }
  static std::function<Result<void>(Handle)> fault_of(Handle handle) {
    return [handle](Handle asked) -> Result<void> {
      if (asked == handle) return fail(ErrorCode::kDeviceFault, "it failed");
      return {};
    };
  }

  RunBindings run_;
};

TEST_F(WaitFailureTest, A11_an_event_of_the_aicpu_that_fails_proves_no_end_so_the_leases_stay_and_no_run_follows) {
  EXPECT_EQ(wait_that_fails(fault_of(slot_->aicpu_event())).message, "it failed");
  expect_quarantine();
}

TEST_F(WaitFailureTest, A11_an_event_of_the_cores_that_fails_proves_no_end_so_the_leases_stay_and_no_run_follows) {
  EXPECT_EQ(wait_that_fails(fault_of(slot_->aicore_event())).message, "it failed");
  expect_quarantine();
}

TEST_F(WaitFailureTest, A11_a_probe_that_fails_proves_no_end_so_the_leases_stay_and_no_run_follows) {
  const auto failing = [this](Handle asked) -> Result<void> {
    if (asked == slot_->aicpu_event()) return fail(ErrorCode::kTimedOut, "still running");
    if (asked == slot_->helper_stream()) return fail(ErrorCode::kDeviceFault, "it failed");
    return {};
  };
  EXPECT_EQ(wait_that_fails(failing).message, "it failed");
  expect_quarantine();
}

TEST_F(WaitFailureTest, A11_a_result_that_cannot_be_copied_proves_no_end_so_the_leases_stay_and_no_run_follows) {
  const auto failing = [this](Handle asked) -> Result<void> {
    if (asked == slot_->aicpu_event()) device_.fail_call = device_.calls + 1;
    return {};
  };
  EXPECT_EQ(wait_that_fails(failing).message, "told to fail: copy");
  expect_quarantine();
}

TEST_F(WaitTest, a_run_that_left_after_its_wait_failed_gives_its_leases_up_and_others_follow) {
  add_one_of_each_direction();
  RunBindings run = launch();
  device_.on_synchronize = [this](Handle asked) -> Result<void> {
    if (asked == slot_->aicpu_event()) return fail(ErrorCode::kDeviceFault, "it failed");
    return {};
  };
  EXPECT_EQ(wait_run(*slot_, run).error().message, "it failed");
  EXPECT_FALSE(run.quarantined);
  const uint64_t releases = device_.releases;
  EXPECT_TRUE(release_run_bindings(*slot_, run));
  EXPECT_EQ(device_.releases, releases + 3);
  EXPECT_TRUE(bind_run(*slot_, inputs_));
}

TEST_F(WaitTest, a_fault_that_no_event_shows_surfaces_at_the_probe) {
  RunBindings run = launch();
  device_.on_synchronize = [this](Handle handle) -> Result<void> {
    if (handle == slot_->helper_stream()) return fail(ErrorCode::kDeviceFault, "a core is dead");
    return fail(ErrorCode::kTimedOut, "still running");
  };
  EXPECT_EQ(wait_run(*slot_, run).error().message, "a core is dead");
}

TEST_F(WaitTest, complete_events_without_a_result_word_are_a_fault_that_the_streams_are_asked_for) {
  device_.program = [](const wire::LaunchBlock&, wire::ResultBlock*) {};
  RunBindings run = launch();
  device_.on_synchronize = [this](Handle handle) -> Result<void> {
    if (handle == slot_->aicpu_stream()) return fail(ErrorCode::kDeviceFault, "the program died");
    return {};
  };
  EXPECT_EQ(wait_run(*slot_, run).error().message, "the program died");
}

TEST_F(WaitTest, an_earlier_runs_result_word_is_none) {
  RunBindings first = launch();
  ASSERT_TRUE(wait_run(*slot_, first));
  device_.program = [](const wire::LaunchBlock&, wire::ResultBlock*) {};
  RunBindings run = launch();
  const auto result = wait_run(*slot_, run);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kDeviceFault);
  EXPECT_EQ(result.error().message, "run 2 ended on the device without writing its result");
}

TEST_F(WaitTest, stuck_cores_cost_the_device_and_their_launch_is_not_waited_for) {
  device_.program = [](const wire::LaunchBlock& launch, wire::ResultBlock* result) {
    result->stuck_cores.set(30);
    result->error.code = 100;
    result->run_serial = launch.run_serial;
  };
  RunBindings run = launch();
  const auto result = wait_run(*slot_, run);
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->error.code, 100);
  EXPECT_EQ(device_.abandoned, (std::vector<std::string>{"1 core did not leave the run"}));
  EXPECT_EQ(times_synchronized(slot_->aicore_event()), 0);
}

TEST_F(WaitTest, an_orchestration_that_does_not_return_after_its_run_ended_costs_the_device) {
  RunBindings run = launch();
  delay(slot_->aicpu_event(), 1'000'000);
  ASSERT_TRUE(wait_run(*slot_, run));
  EXPECT_EQ(device_.abandoned, (std::vector<std::string>{"the run ended and its orchestration did not return"}));
}

TEST_F(WaitTest, cores_that_linger_after_a_run_that_ended_well_cost_the_device) {
  RunBindings run = launch();
  delay(slot_->aicore_event(), 1'000'000);
  ASSERT_TRUE(wait_run(*slot_, run));
  EXPECT_EQ(device_.abandoned.size(), 1u);
}

}  // namespace
}  // namespace taskmill::tmr
