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

TEST_F(LaunchTest, A4_launching_changes_no_byte_of_the_image) {
  RunBindings run = *bind_run(*slot_, inputs_);
  const wire::LaunchBlock before = slot_->image().launch;
  ASSERT_TRUE(launch_run(*slot_, run));
  ASSERT_TRUE(wait_run(*slot_, run));
  EXPECT_EQ(std::memcmp(&slot_->image().launch, &before, sizeof before), 0);
}

}  // namespace
}  // namespace taskmill::tmr
