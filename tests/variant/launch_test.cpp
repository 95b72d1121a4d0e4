#include "variant/fixture.h"

namespace taskmill::tmr {
namespace {

using LaunchTest = RunTest;

TEST_F(LaunchTest, A12_the_cores_go_in_first_and_each_stream_gets_an_event_of_the_run) {
  RunBindings run = *bind_run(*slot_, inputs_);
  ASSERT_TRUE(launch_run(*slot_, run));
  ASSERT_EQ(device_.launches.size(), 2u);
  EXPECT_EQ(device_.launches[0].processor, Processor::kAicore);
  EXPECT_EQ(device_.launches[0].stream, slot_->aicore_stream());
  EXPECT_EQ(device_.launches[1].processor, Processor::kAicpu);
  EXPECT_EQ(device_.launches[1].stream, slot_->aicpu_stream());
  EXPECT_EQ(device_.records, (std::vector<std::pair<Handle, Handle>>{{slot_->aicore_event(), slot_->aicore_stream()},
                                                                     {slot_->aicpu_event(), slot_->aicpu_stream()}}));
}

TEST_F(LaunchTest, both_programs_get_the_committed_launch_block) {
  RunBindings run = *bind_run(*slot_, inputs_);
  ASSERT_TRUE(launch_run(*slot_, run));
  for (const FakeDevice::Launched& launched : device_.launches) {
    EXPECT_EQ(std::memcmp(&launched.block, &slot_->image().launch, sizeof launched.block), 0);
  }
}

TEST_F(LaunchTest, only_a_run_that_goes_in_uses_its_serial_up_so_its_token_generation_does_not_come_round_early) {
  RunBindings first = *bind_run(*slot_, inputs_);
  ASSERT_TRUE(launch_run(*slot_, first));
  ASSERT_TRUE(wait_run(*slot_, first));
  for (int i = 0; i < 254; ++i) {
    RunBindings unlaunched = *bind_run(*slot_, inputs_);
    ASSERT_TRUE(release_run_bindings(*slot_, unlaunched));
  }
  device_.fail_call = device_.calls + 2;  // after the upload of the tables, the launch of the cores
  RunBindings refused = *bind_run(*slot_, inputs_);
  EXPECT_FALSE(launch_run(*slot_, refused));
  const RunBindings last = *bind_run(*slot_, inputs_);
  EXPECT_EQ(last.serial, first.serial + 1);
}

TEST_F(LaunchTest, a_run_of_which_only_the_cores_went_in_uses_its_serial_up) {
  RunBindings half = *bind_run(*slot_, inputs_);
  device_.fail_call = device_.calls + 3;
  EXPECT_FALSE(launch_run(*slot_, half));
  EXPECT_EQ(bind_run(*slot_, inputs_)->serial, half.serial + 1);
}

TEST_F(LaunchTest, A4_launching_changes_no_byte_of_the_image) {
  RunBindings run = *bind_run(*slot_, inputs_);
  const wire::LaunchBlock before = slot_->image().launch;
  ASSERT_TRUE(launch_run(*slot_, run));
  ASSERT_TRUE(wait_run(*slot_, run));
  EXPECT_EQ(std::memcmp(&slot_->image().launch, &before, sizeof before), 0);
}

}  // namespace
}  // namespace taskmill::tmr
