#include "driver/fault/fault_device.h"

#include <gtest/gtest.h>

#include "driver/null/null_device.h"

namespace taskmill {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};

std::unique_ptr<FaultDevice> open() { return wrap_with_faults(*open_null_device("a2a3null")); }

// One call of every kind that a device has.
void call_everything(Device& device) {
  const auto stream = device.create_stream();
  const auto event = device.create_event();
  const auto memory = device.allocate(64);
  const uint64_t value = 1;
  const DeviceAddress to = memory ? *memory : 0;
  const Handle queue = stream ? *stream : Handle{};
  const Handle mark = event ? *event : Handle{};
  (void)device.copy({to, reinterpret_cast<uint64_t>(&value), 8, CopyKind::kHostToDevice}, {});
  (void)device.record(mark, queue);
  (void)device.wait(queue, mark);
  (void)device.query(mark);
  (void)device.synchronize(queue, kLong);
  const auto image = device.load({ImageKind::kAicpuProgram, {}, "image", {}});
  const std::vector<std::byte> arguments(sizeof(uint64_t) * 24);
  (void)device.launch({Processor::kAicpu, image ? image->handle : Handle{}, 1, arguments}, queue);
  (void)device.timestamp(mark);
  (void)device.abandon("test");
  (void)device.destroy(mark);
  (void)device.release(to);
}

TEST(FaultDevice, passes_calls_on_and_counts_them_by_kind) {
  const auto device = open();
  call_everything(*device);
  for (size_t kind = 0; kind < kCallKinds; ++kind) {
    EXPECT_EQ(device->count(static_cast<CallKind>(kind)), 1u) << call_name(static_cast<CallKind>(kind));
  }
  EXPECT_EQ(device->fired(), 0u);
}

TEST(FaultDevice, fails_every_kind_of_call_where_it_is_told) {
  for (size_t kind = 0; kind < kCallKinds; ++kind) {
    const auto device = open();
    device->plan({static_cast<CallKind>(kind), 1, ErrorCode::kDeviceFault});
    call_everything(*device);
    EXPECT_EQ(device->fired(), 1u) << call_name(static_cast<CallKind>(kind));
  }
}

TEST(FaultDevice, fails_the_nth_call_only_and_names_it) {
  const auto device = open();
  device->plan({CallKind::kAllocate, 3, ErrorCode::kOutOfDeviceMemory});
  for (int call = 1; call <= 5; ++call) {
    const auto memory = device->allocate(64);
    if (call != 3) {
      EXPECT_TRUE(memory);
      continue;
    }
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().code, ErrorCode::kOutOfDeviceMemory);
    EXPECT_EQ(memory.error().message, "planned fault at allocate 3");
  }
  EXPECT_EQ(device->statistics().live_allocations, 4u) << "the failed call did nothing";
}

TEST(FaultDevice, can_make_the_call_before_it_fails) {
  const auto device = open();
  device->plan({CallKind::kAllocate, 1, ErrorCode::kOutOfDeviceMemory, FaultMode::kAfter});
  EXPECT_FALSE(device->allocate(64));
  EXPECT_EQ(device->statistics().live_allocations, 1u);
}

TEST(FaultDevice, a_later_fault_is_told_once_by_its_streams_synchronise_and_then_sticks) {
  const auto device = open();
  const Handle bad = *device->create_stream();
  const Handle good = *device->create_stream();
  const DeviceAddress memory = *device->allocate(64);
  ASSERT_TRUE(device->fill(memory, 0, 64, {}));
  device->plan({CallKind::kCopy, device->count(CallKind::kCopy) + 1, ErrorCode::kDeviceFault, FaultMode::kLater});
  EXPECT_TRUE(device->fill(memory, 7, 64, bad)) << "the work is queued";
  EXPECT_TRUE(*device->query(bad)) << "queries surface nothing";
  EXPECT_TRUE(device->synchronize(good, kLong));
  EXPECT_TRUE(device->health());
  const auto fault = device->synchronize(bad, kLong);
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().code, ErrorCode::kDeviceFault);
  EXPECT_EQ(device->synchronize(bad, kLong).error().code, ErrorCode::kDeviceLost);
  EXPECT_EQ(device->health().error().code, ErrorCode::kDeviceLost);
  EXPECT_EQ(device->allocate(64).error().code, ErrorCode::kDeviceLost);
  uint64_t value = 1;
  EXPECT_TRUE(device->copy({reinterpret_cast<uint64_t>(&value), memory, 8, CopyKind::kDeviceToHost}, {}));
  EXPECT_EQ(value, 0u) << "the work was lost";
}

TEST(FaultDevice, a_time_out_can_be_planned_and_the_next_wait_works) {
  const auto device = open();
  const Handle stream = *device->create_stream();
  device->plan({CallKind::kSynchronize, 1, ErrorCode::kTimedOut});
  EXPECT_EQ(device->synchronize(stream, kLong).error().code, ErrorCode::kTimedOut);
  EXPECT_TRUE(device->synchronize(stream, kLong));
}

TEST(FaultDevice, a_hook_runs_before_each_call) {
  const auto device = open();
  std::vector<std::string> calls;
  device->before_each_call([&](CallKind kind, uint64_t nth) { calls.push_back(call_name(kind) + std::to_string(nth)); });
  (void)device->create_stream();
  (void)device->create_event();
  (void)device->create_stream();
  EXPECT_EQ(calls, (std::vector<std::string>{"create_stream1", "create_event1", "create_stream2"}));
}

}  // namespace
}  // namespace taskmill
