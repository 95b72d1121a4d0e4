#include <algorithm>
#include <cstring>

#include "trace/trace.h"
#include "variant/fixture.h"

namespace taskmill::tmr {
namespace {

using BindTest = RunTest;

bool same_image(const RunImage& a, const RunImage& b) {
  return std::memcmp(&a.launch, &b.launch, sizeof a.launch) == 0 && a.tables == b.tables;
}

TEST_F(BindTest, A2_A8_bind_records_what_to_copy_and_copies_no_input_byte) {
  add_one_of_each_direction();
  device_.copies.clear();
  const RunBindings run = *bind_run(*slot_, inputs_);
  ASSERT_EQ(run.leases.size(), 3u);
  for (const TensorLease& lease : run.leases) {
    EXPECT_EQ(device_.copies_at(CopyKind::kHostToDevice, lease.device), 0);
    EXPECT_EQ(lease.release, TensorReleaseKind::kFree);
  }
  ASSERT_EQ(device_.copies.size(), 1u);
  EXPECT_EQ(device_.copies[0].destination, slot_->tables().address());
}

TEST_F(BindTest, the_image_holds_descriptors_scalars_and_the_function_table) {
  add_one_of_each_direction();
  const RunBindings run = *bind_run(*slot_, inputs_);
  const wire::LaunchBlock& launch = slot_->image().launch;
  EXPECT_EQ(launch.run_serial, run.serial);
  EXPECT_EQ(launch.entry_tensor_count, 3u);
  EXPECT_EQ(entry(1).descriptor.buffer.addr, run.leases[1].device);
  EXPECT_EQ(entry(1).descriptor.shapes[0], 200u);
  EXPECT_EQ(entry(1).descriptor.strides[0], 1u);
  EXPECT_EQ(entry(1).buffer_bytes, 800u);
  EXPECT_EQ(entry(1).root, 1u);
  EXPECT_EQ(*reinterpret_cast<const uint64_t*>(launch.entry_scalars), 7u);
  EXPECT_EQ(launch.function_count, 4u);
  EXPECT_EQ(reinterpret_cast<const uint64_t*>(launch.functions)[3], 33u);
}

TEST_F(BindTest, strides_of_a_tensor_are_row_major) {
  std::vector<float> memory(24);
  EntryArgument argument = host_argument(memory, true, false);
  argument.ndims = 3;
  argument.shape[0] = 2, argument.shape[1] = 3, argument.shape[2] = 4;
  inputs_.tensors = {argument};
  ASSERT_TRUE(bind_run(*slot_, inputs_));
  EXPECT_EQ(entry(0).descriptor.strides[0], 12u);
  EXPECT_EQ(entry(0).descriptor.strides[1], 4u);
  EXPECT_EQ(entry(0).descriptor.strides[2], 1u);
}

TEST_F(BindTest, the_same_host_buffer_twice_has_one_lease_and_one_root) {
  inputs_.tensors = {host_argument(in_, true, false), host_argument(in_, false, true)};
  const uint64_t allocations = device_.allocations;
  const RunBindings run = *bind_run(*slot_, inputs_);
  ASSERT_EQ(run.leases.size(), 1u);
  EXPECT_TRUE(run.leases[0].needs_copy_in);
  EXPECT_TRUE(run.leases[0].needs_copy_back);
  EXPECT_EQ(entry(0).descriptor.buffer.addr, entry(1).descriptor.buffer.addr);
  EXPECT_EQ(entry(1).root, 0u);
  EXPECT_EQ(device_.allocations - allocations, 1u + 3u);  // the lease; region, heap and tables of a first run
}

TEST_F(BindTest, device_tensors_are_used_where_they_lie_and_views_count_from_their_root) {
  inputs_.tensors = {device_argument(4096 + 64, 16, false), device_argument(4096, 256, true)};
  const RunBindings run = *bind_run(*slot_, inputs_);
  ASSERT_EQ(run.leases.size(), 1u);
  EXPECT_EQ(run.leases[0].release, TensorReleaseKind::kNone);
  EXPECT_FALSE(run.leases[0].needs_copy_in);
  EXPECT_FALSE(run.leases[0].needs_copy_back);
  EXPECT_EQ(entry(0).descriptor.buffer.addr, 4096u);
  EXPECT_EQ(entry(0).descriptor.start_offset, 16u);
  EXPECT_EQ(entry(0).buffer_bytes, 1024u);
  EXPECT_EQ(entry(1).root, 0u);
}

TEST_F(BindTest, B9_a_tensor_without_bytes_allocates_and_copies_nothing) {
  inputs_.tensors = {host_argument(in_, true, true)};
  RunBindings earlier = *bind_run(*slot_, inputs_);
  ASSERT_TRUE(release_run_bindings(*slot_, earlier));
  const uint64_t allocations = device_.allocations;
  std::vector<float> empty;
  inputs_.tensors = {host_argument(empty, true, true)};
  RunBindings run = *bind_run(*slot_, inputs_);
  EXPECT_EQ(device_.allocations, allocations);
  EXPECT_EQ(*copy_in_run_inputs(*slot_, run), 0u);
  EXPECT_EQ(entry(0).descriptor.strides[0], 1u);
  EXPECT_TRUE(release_run_bindings(*slot_, run));
}

TEST_F(BindTest, a_second_run_of_the_same_size_allocates_its_leases_only) {
  add_one_of_each_direction();
  RunBindings first = *bind_run(*slot_, inputs_);
  ASSERT_TRUE(release_run_bindings(*slot_, first));
  const uint64_t allocations = device_.allocations;
  ASSERT_TRUE(bind_run(*slot_, inputs_));
  EXPECT_EQ(device_.allocations - allocations, 3u);
}

TEST_F(BindTest, a_run_that_needs_more_grows_what_is_kept) {
  ASSERT_TRUE(bind_run(*slot_, inputs_));
  const uint64_t region = slot_->region().bytes();
  inputs_.sizes.rings[1].task_window = 1024;
  inputs_.sizes.rings[1].heap_bytes = 1 << 20;
  ASSERT_TRUE(bind_run(*slot_, inputs_));
  EXPECT_GT(slot_->region().bytes(), region);
  EXPECT_EQ(slot_->heap().bytes(), (uint64_t{1} << 20) + 3 * 4096);
  EXPECT_EQ(slot_->image().launch.heap, slot_->heap().address());
}

TEST_F(BindTest, sizes_that_overflow_are_refused_before_anything_is_allocated) {
  inputs_.sizes.rings[3].argument_lines = ~0u;
  const uint64_t calls = device_.calls;
  EXPECT_EQ(bind_run(*slot_, inputs_).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(device_.calls, calls);
}

TEST_F(BindTest, an_argument_that_finds_no_device_memory_is_named) {
  std::vector<float> memory(16);
  inputs_.tensors = {host_argument(memory, true, false, "argument 0 (\"w\") of \"f\"")};
  inputs_.tensors[0].bytes = uint64_t{1} << 40;
  const Result<RunBindings> run = bind_run(*slot_, inputs_);
  EXPECT_EQ(run.error().code, ErrorCode::kOutOfDeviceMemory);
  EXPECT_EQ(run.error().message, "argument 0 (\"w\") of \"f\": no room");
}

TEST_F(BindTest, A5_a_bind_that_fails_at_any_driver_call_leaves_the_image_as_it_was_and_holds_nothing) {
  add_one_of_each_direction();
  RunInputs larger = inputs_;
  larger.sizes.rings[0].task_window = 64;
  larger.sizes.rings[0].heap_bytes = 1 << 16;
  larger.trace_records_per_lane = 8;
  uint64_t failures = 0, calls = 1;
  for (uint64_t call = 1; call <= calls; ++call) {
    FakeDevice device;
    const std::unique_ptr<RunSlot> slot = *RunSlot::open(device, programs_);
    RunBindings earlier = *bind_run(*slot, inputs_);
    ASSERT_TRUE(release_run_bindings(*slot, earlier));
    const RunImage before = slot->image();
    const uint64_t calls_before = device.calls;
    const size_t live_before = device.memory.size();
    device.fail_call = calls_before + call;
    Result<RunBindings> run = bind_run(*slot, larger);
    device.fail_call = 0;
    if (run) {  // the failing call released a buffer that a larger one replaced
      calls = device.calls - calls_before;
      EXPECT_TRUE(release_run_bindings(*slot, *run));
    } else {
      ++failures;
      calls = std::max(calls, call + 1);
      EXPECT_EQ(run.error().code, ErrorCode::kDeviceFault);
      EXPECT_TRUE(same_image(slot->image(), before)) << "call " << call;
      EXPECT_LE(device.memory.size(), live_before + 1) << "call " << call;  // a trace buffer may stay with the slot
    }
  }
  EXPECT_EQ(failures, 3u + 3u + 2u);  // leases; region, heap and trace; two uploads
}

TEST_F(BindTest, a_trace_starts_with_empty_lanes_for_cores_schedulers_and_the_orchestrator) {
  inputs_.trace_records_per_lane = 4;
  ASSERT_TRUE(bind_run(*slot_, inputs_));
  const wire::LaunchBlock& launch = slot_->image().launch;
  const auto* header = reinterpret_cast<const wire::TraceHeader*>(launch.trace);
  EXPECT_EQ(header->magic, wire::kTraceMagic);
  EXPECT_EQ(header->lane_count, 72u + 1 + 1);
  EXPECT_EQ(header->records_per_lane, 4u);
  EXPECT_EQ(launch.trace_bytes, wire::trace_region_bytes(74, 4));
}

}  // namespace
}  // namespace taskmill::tmr
