// What drivers must do: streams, events and handles.
#include "driver/conformance.h"

namespace taskmill::conformance {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};

std::string copies_of_a_stream_happen_in_order(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(a, device.allocate(4096));
  GIVES(b, device.allocate(4096));
  std::vector<uint32_t> values(200);
  for (uint32_t i = 0; i < values.size(); ++i) {
    values[i] = i;
    SUCCEEDS(device.copy({a, reinterpret_cast<uint64_t>(&values[i]), 4, CopyKind::kHostToDevice}, stream));
    SUCCEEDS(device.copy({b + 4 * i, a, 4, CopyKind::kDeviceToDevice}, stream));
  }
  std::vector<uint32_t> back(values.size());
  SUCCEEDS(device.copy({reinterpret_cast<uint64_t>(back.data()), b, 4 * back.size(), CopyKind::kDeviceToHost}, stream));
  SUCCEEDS(device.synchronize(stream, kLong));
  HOLDS(back == values);
  GIVES(idle, device.query(stream));
  HOLDS(idle);
  return "";
}

std::string a_time_out_must_be_positive(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(event, device.create_event());
  FAILS_WITH(InvalidArgument, "a time-out of 0 ms", device.synchronize(stream, std::chrono::milliseconds(0)));
  FAILS_WITH(InvalidArgument, "a time-out of 0 ms", device.synchronize(event, std::chrono::milliseconds(0)));
  FAILS_WITH(InvalidArgument, "a time-out of -1 ms", device.synchronize(stream, std::chrono::milliseconds(-1)));
  return "";
}

std::string handles_that_are_not_alive_are_refused_everywhere(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(event, device.create_event());
  GIVES(dead_stream, device.create_stream());
  GIVES(dead_event, device.create_event());
  SUCCEEDS(device.destroy(dead_stream));
  SUCCEEDS(device.destroy(dead_event));
  GIVES(a, device.allocate(64));
  const Handle foreign{HandleKind::kStream, 4711};
  FAILS_WITH(StaleHandle, "is not alive on this device", device.destroy(dead_stream));
  FAILS_WITH(StaleHandle, "is not alive on this device", device.destroy(dead_event));
  FAILS_WITH(StaleHandle, "stream 4711", device.destroy(foreign));
  FAILS_WITH(StaleHandle, "empty handle", device.destroy(Handle{}));
  FAILS_WITH(StaleHandle, "image 3", device.destroy(Handle{HandleKind::kImage, 3}));
  FAILS_WITH(StaleHandle, "", device.query(dead_stream));
  FAILS_WITH(StaleHandle, "", device.query(dead_event));
  FAILS_WITH(StaleHandle, "", device.synchronize(dead_stream, kLong));
  FAILS_WITH(StaleHandle, "", device.synchronize(dead_event, kLong));
  FAILS_WITH(StaleHandle, "", device.record(dead_event, stream));
  FAILS_WITH(StaleHandle, "", device.record(event, dead_stream));
  FAILS_WITH(StaleHandle, "", device.wait(dead_stream, event));
  FAILS_WITH(StaleHandle, "", device.wait(stream, dead_event));
  FAILS_WITH(StaleHandle, "stream", device.record(stream, event));
  FAILS_WITH(StaleHandle, "", device.copy({a, a, 8, CopyKind::kDeviceToDevice}, dead_stream));
  FAILS_WITH(StaleHandle, "event", device.copy({a, a, 8, CopyKind::kDeviceToDevice}, event));
  return "";
}

std::string handles_are_never_reused(Device& device) {
  GIVES(first, device.create_stream());
  SUCCEEDS(device.destroy(first));
  GIVES(second, device.create_stream());
  HOLDS(!(first == second));
  FAILS_WITH(StaleHandle, "", device.query(first));
  return "";
}

std::string an_event_never_recorded_is_done(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(event, device.create_event());
  GIVES(done, device.query(event));
  HOLDS(done);
  SUCCEEDS(device.synchronize(event, kLong));
  SUCCEEDS(device.wait(stream, event));
  SUCCEEDS(device.synchronize(stream, kLong));
  return "";
}

std::string events_order_work_across_streams(Device& device) {
  GIVES(first, device.create_stream());
  GIVES(second, device.create_stream());
  GIVES(event, device.create_event());
  GIVES(back_event, device.create_event());
  GIVES(a, device.allocate(4096));
  uint32_t last = 0;
  for (uint32_t round = 1; round <= 50; ++round) {
    SUCCEEDS(device.fill(a, static_cast<uint8_t>(round), 4096, first));
    SUCCEEDS(device.record(event, first));
    SUCCEEDS(device.wait(second, event));
    SUCCEEDS(device.copy({reinterpret_cast<uint64_t>(&last), a + 4092, 4, CopyKind::kDeviceToHost}, second));
    SUCCEEDS(device.record(back_event, second));
    SUCCEEDS(device.synchronize(back_event, kLong));
    HOLDS(last == 0x0101'0101u * round);
    GIVES(done, device.query(event));
    HOLDS(done);
  }
  return "";
}

std::string an_event_may_be_destroyed_before_its_record_completes(Device& device) {
  GIVES(first, device.create_stream());
  GIVES(second, device.create_stream());
  GIVES(a, device.allocate(1 << 20));
  for (int round = 0; round < 20; ++round) {
    GIVES(event, device.create_event());
    SUCCEEDS(device.fill(a, 3, 1 << 20, first));
    SUCCEEDS(device.record(event, first));
    SUCCEEDS(device.wait(second, event));
    SUCCEEDS(device.destroy(event));
  }
  SUCCEEDS(device.synchronize(second, kLong));
  SUCCEEDS(device.synchronize(first, kLong));
  return "";
}

std::string destroying_a_stream_waits_for_its_work(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(a, device.allocate(1 << 20));
  SUCCEEDS(device.fill(a, 9, 1 << 20, stream));
  SUCCEEDS(device.destroy(stream));
  uint8_t last = 0;
  SUCCEEDS(device.copy({reinterpret_cast<uint64_t>(&last), a + (1 << 20) - 1, 1, CopyKind::kDeviceToHost}, {}));
  HOLDS(last == 9);
  return "";
}

std::string timestamps_follow_the_order_of_records(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(event, device.create_event());
  GIVES(later, device.create_event());
  FAILS_WITH(InvalidArgument, "has no complete record", device.timestamp(event));
  SUCCEEDS(device.record(event, stream));
  SUCCEEDS(device.record(later, stream));
  SUCCEEDS(device.synchronize(stream, kLong));
  GIVES(first_ns, device.timestamp(event));
  GIVES(second_ns, device.timestamp(later));
  HOLDS(first_ns <= second_ns);
  SUCCEEDS(device.destroy(event));
  FAILS_WITH(StaleHandle, "", device.timestamp(event));
  return "";
}

std::string a_healthy_device_says_so(Device& device) {
  SUCCEEDS(device.health());
  return "";
}

}  // namespace

#define CHECK_OF(name, needs) \
  { #name, needs, &name }

const std::vector<Check>& stream_checks() {
  static const std::vector<Check> checks = {
      CHECK_OF(copies_of_a_stream_happen_in_order, Needs::kNothing),
      CHECK_OF(a_time_out_must_be_positive, Needs::kNothing),
      CHECK_OF(handles_that_are_not_alive_are_refused_everywhere, Needs::kNothing),
      CHECK_OF(handles_are_never_reused, Needs::kNothing),
      CHECK_OF(an_event_never_recorded_is_done, Needs::kNothing),
      CHECK_OF(events_order_work_across_streams, Needs::kNothing),
      CHECK_OF(an_event_may_be_destroyed_before_its_record_completes, Needs::kNothing),
      CHECK_OF(destroying_a_stream_waits_for_its_work, Needs::kNothing),
      CHECK_OF(timestamps_follow_the_order_of_records, Needs::kTimestamps),
      CHECK_OF(a_healthy_device_says_so, Needs::kNothing),
  };
  return checks;
}

}  // namespace taskmill::conformance
