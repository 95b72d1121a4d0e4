#include "variant/fixture.h"
#include "wire/mailbox.h"
#include "wire/token.h"

namespace taskmill::tmr {
namespace {

// The third call of a launch is the AICPU's: the cores and their event went in.
class CancelTest : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    add_one_of_each_direction();
    run_ = *bind_run(*slot_, inputs_);
    device_.fail_call = device_.calls + 3;
  }
  void time_out(Handle stuck) {
    device_.on_synchronize = [stuck](Handle handle) -> Result<void> {
      if (handle == stuck) return fail(ErrorCode::kTimedOut, "still running");
      return {};
    };
  }

  RunBindings run_;
};

TEST_F(CancelTest, A11_cores_that_went_in_alone_are_told_to_leave_and_then_the_leases_may_go) {
  EXPECT_EQ(launch_run(*slot_, run_).error().message, "told to fail: launch");
  const auto* registers = reinterpret_cast<const wire::CoreRegisters*>(slot_->registers().address());
  const uint32_t exit = wire::make_token(wire::run_generation(run_.serial), wire::kExitSequence);
  for (uint32_t core = 0; core < slot_->cores(); ++core) EXPECT_EQ(registers[core].dispatch_, exit) << "core " << core;
  EXPECT_TRUE(device_.abandoned.empty());
  EXPECT_FALSE(run_.quarantined);
  const uint64_t releases = device_.releases;
  EXPECT_TRUE(release_run_bindings(*slot_, run_));
  EXPECT_EQ(device_.releases, releases + 3);
}

TEST_F(CancelTest, A11_cores_that_do_not_leave_cost_the_device) {
  time_out(slot_->aicore_stream());
  EXPECT_EQ(launch_run(*slot_, run_).error().message, "told to fail: launch");
  EXPECT_EQ(device_.abandoned.size(), 1u);
  EXPECT_FALSE(run_.quarantined);
}

TEST_F(CancelTest, A11_without_proof_that_the_cores_left_the_leases_stay) {
  time_out(slot_->aicore_stream());
  device_.can_abandon = false;
  EXPECT_FALSE(launch_run(*slot_, run_));
  EXPECT_TRUE(run_.quarantined);
  const uint64_t releases = device_.releases;
  EXPECT_TRUE(release_run_bindings(*slot_, run_));
  EXPECT_EQ(device_.releases, releases);
  EXPECT_EQ(run_.leases.size(), 3u);
}

TEST_F(CancelTest, A11_copies_that_may_still_be_queued_read_words_that_live_as_long_as_the_slot) {
  time_out(slot_->helper_stream());
  device_.can_abandon = false;
  device_.copies.clear();
  EXPECT_FALSE(launch_run(*slot_, run_));
  EXPECT_TRUE(run_.quarantined);
  ASSERT_EQ(device_.copies.size(), slot_->cores());
  for (uint32_t core = 0; core < slot_->cores(); ++core) {
    EXPECT_EQ(device_.copies[core].source, reinterpret_cast<uint64_t>(&slot_->exit_words()[core].dispatch_));
  }
}

TEST_F(CancelTest, a_launch_of_which_nothing_went_in_needs_no_cancelling) {
  device_.fail_call = device_.calls + 1;
  EXPECT_FALSE(launch_run(*slot_, run_));
  EXPECT_TRUE(device_.synchronized.empty());
  EXPECT_TRUE(device_.launches.empty());
}

}  // namespace
}  // namespace taskmill::tmr
