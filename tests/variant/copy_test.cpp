#include "variant/fixture.h"

namespace taskmill::tmr {
namespace {

class CopyTest : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    add_one_of_each_direction();
    run_ = *bind_run(*slot_, inputs_);
    device_.copies.clear();
  }
  int copied(CopyKind kind, size_t lease) const { return device_.copies_at(kind, run_.leases[lease].device); }

  RunBindings run_;
};

constexpr size_t kIn = 0, kOut = 1, kInout = 2;

TEST_F(CopyTest, A2_copy_in_makes_exactly_one_copy_for_each_lease_that_needs_it) {
  EXPECT_EQ(*copy_in_run_inputs(*slot_, run_), (100u + 300u) * 4);
  EXPECT_EQ(device_.copies.size(), 2u);
  EXPECT_EQ(*reinterpret_cast<const float*>(run_.leases[kInout].device), 3.0f);
}

TEST_F(CopyTest, A9_an_IN_lease_is_copied_in_and_not_back) {
  ASSERT_TRUE(copy_in_run_inputs(*slot_, run_));
  ASSERT_TRUE(copy_back_run_outputs(*slot_, run_, true, true));
  EXPECT_EQ(copied(CopyKind::kHostToDevice, kIn), 1);
  EXPECT_EQ(copied(CopyKind::kDeviceToHost, kIn), 0);
}

TEST_F(CopyTest, A9_an_OUT_lease_is_copied_back_and_not_in) {
  ASSERT_TRUE(copy_in_run_inputs(*slot_, run_));
  ASSERT_TRUE(copy_back_run_outputs(*slot_, run_, true, true));
  EXPECT_EQ(copied(CopyKind::kHostToDevice, kOut), 0);
  EXPECT_EQ(copied(CopyKind::kDeviceToHost, kOut), 1);
}

TEST_F(CopyTest, A9_an_INOUT_lease_is_copied_both_ways) {
  ASSERT_TRUE(copy_in_run_inputs(*slot_, run_));
  *reinterpret_cast<float*>(run_.leases[kInout].device) = 8.0f;
  ASSERT_TRUE(copy_back_run_outputs(*slot_, run_, true, true));
  EXPECT_EQ(copied(CopyKind::kHostToDevice, kInout), 1);
  EXPECT_EQ(copied(CopyKind::kDeviceToHost, kInout), 1);
  EXPECT_EQ(inout_[0], 8.0f);
}

TEST_F(CopyTest, A6_a_run_that_was_not_launched_reads_nothing_from_the_device) {
  const uint64_t calls = device_.calls;
  EXPECT_EQ(*copy_back_run_outputs(*slot_, run_, true, false), 0u);
  EXPECT_EQ(device_.calls, calls);
}

TEST_F(CopyTest, a_run_that_failed_leaves_the_callers_outputs_alone) {
  EXPECT_EQ(*copy_back_run_outputs(*slot_, run_, false, true), 0u);
  EXPECT_EQ(out_[0], 2.0f);
}

TEST_F(CopyTest, A5_a_run_that_was_prepared_and_never_launched_ends_with_the_image_that_prepare_committed) {
  const RunImage committed = slot_->image();
  ASSERT_TRUE(copy_back_run_outputs(*slot_, run_, false, false));
  ASSERT_TRUE(release_run_bindings(*slot_, run_));
  EXPECT_EQ(std::memcmp(&slot_->image().launch, &committed.launch, sizeof committed.launch), 0);
  EXPECT_EQ(slot_->image().tables, committed.tables);
}

TEST_F(CopyTest, A7_copy_back_retires_no_binding_and_release_frees_each_lease_of_kind_free) {
  const std::vector<TensorLease> leases = run_.leases;
  const uint64_t releases = device_.releases;
  ASSERT_TRUE(copy_back_run_outputs(*slot_, run_, true, true));
  EXPECT_EQ(device_.releases, releases);
  ASSERT_EQ(run_.leases.size(), leases.size());
  for (size_t i = 0; i < leases.size(); ++i) EXPECT_EQ(run_.leases[i].device, leases[i].device);
  ASSERT_TRUE(release_run_bindings(*slot_, run_));
  EXPECT_EQ(device_.releases, releases + 3);
}

TEST_F(CopyTest, A10_a_copy_in_that_fails_keeps_the_leases_and_its_code_is_what_the_caller_sees) {
  device_.fail_call = device_.calls + 2;
  EXPECT_EQ(copy_in_run_inputs(*slot_, run_).error().message, "told to fail: copy");
  EXPECT_EQ(run_.leases.size(), 3u);
  const uint64_t releases = device_.releases;
  ASSERT_TRUE(release_run_bindings(*slot_, run_));
  EXPECT_EQ(device_.releases, releases + 3);
}

TEST_F(CopyTest, a_release_that_fails_is_told_and_the_other_leases_are_released) {
  const uint64_t releases = device_.releases;
  device_.fail_call = device_.calls + 1;
  EXPECT_EQ(release_run_bindings(*slot_, run_).error().code, ErrorCode::kDeviceFault);
  EXPECT_EQ(device_.releases, releases + 2);
  EXPECT_TRUE(run_.leases.empty());
}

}  // namespace
}  // namespace taskmill::tmr
