// What drivers must do: memory and copies.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "driver/conformance.h"

namespace taskmill::conformance {
namespace {

Copy to_device(DeviceAddress to, const void* from, uint64_t bytes) {
  return {to, reinterpret_cast<uint64_t>(from), bytes, CopyKind::kHostToDevice};
}
Copy to_host(void* to, DeviceAddress from, uint64_t bytes) {
  return {reinterpret_cast<uint64_t>(to), from, bytes, CopyKind::kDeviceToHost};
}
Copy within(DeviceAddress to, DeviceAddress from, uint64_t bytes) { return {to, from, bytes, CopyKind::kDeviceToDevice}; }

std::vector<uint8_t> counting(size_t bytes) {
  std::vector<uint8_t> data(bytes);
  std::iota(data.begin(), data.end(), uint8_t{1});
  return data;
}

std::string allocations_are_aligned_apart_and_as_large_as_asked(Device& device) {
  const std::vector<uint8_t> data = counting(100'000);
  std::vector<std::pair<DeviceAddress, uint64_t>> taken;
  for (const uint64_t bytes : {1u, 1000u, 1024u, 5000u, 100'000u}) {
    GIVES(address, device.allocate(bytes));
    HOLDS(address % 1024 == 0);
    for (const auto& [other, size] : taken) HOLDS(address + bytes <= other || other + size <= address);
    taken.emplace_back(address, bytes);
    SUCCEEDS(device.copy(to_device(address, data.data(), bytes), {}));
    std::vector<uint8_t> back(bytes);
    SUCCEEDS(device.copy(to_host(back.data(), address, bytes), {}));
    HOLDS(std::memcmp(back.data(), data.data(), bytes) == 0);
  }
  return "";
}

std::string an_allocation_of_0_bytes_is_refused(Device& device) {
  FAILS_WITH(InvalidArgument, "0 bytes", device.allocate(0));
  return "";
}

std::string more_memory_than_there_is_is_refused_with_the_numbers(Device& device) {
  GIVES(some, device.allocate(4096));
  FAILS_WITH(OutOfDeviceMemory, "4,096 of the device's", device.allocate(device.info().memory_bytes));
  FAILS_WITH(OutOfDeviceMemory, "18,446,744,073,709,551,615 bytes wanted", device.allocate(UINT64_MAX));
  SUCCEEDS(device.release(some));
  return "";
}

std::string released_memory_can_be_allocated_again(Device& device) {
  const uint64_t third = std::min(device.info().memory_bytes / 3, uint64_t{24} << 20);
  for (int round = 0; round < 50; ++round) {
    GIVES(a, device.allocate(third));
    GIVES(b, device.allocate(third));
    GIVES(c, device.allocate(10'000));
    SUCCEEDS(device.release(a));
    SUCCEEDS(device.release(c));
    SUCCEEDS(device.release(b));
  }
  HOLDS(device.statistics().live_bytes == 0);
  return "";
}

std::string release_takes_exact_live_bases_only(Device& device) {
  GIVES(address, device.allocate(4096));
  FAILS_WITH(NotADeviceAddress, "not the start of a live allocation", device.release(address + 1024));
  FAILS_WITH(NotADeviceAddress, "0x0", device.release(0));
  SUCCEEDS(device.release(address));
  FAILS_WITH(NotADeviceAddress, "not the start of a live allocation", device.release(address));
  return "";
}

std::string copies_stay_inside_one_live_allocation(Device& device) {
  std::vector<uint8_t> host(5000);
  GIVES(a, device.allocate(4096));
  GIVES(b, device.allocate(4096));
  FAILS_WITH(NotADeviceAddress, "copy destination: 4,097 bytes", device.copy(to_device(a, host.data(), 4097), {}));
  FAILS_WITH(NotADeviceAddress, "copy source: 2 bytes", device.copy(to_host(host.data(), a + 4095, 2), {}));
  FAILS_WITH(NotADeviceAddress, "copy source", device.copy(within(b, a + 1, 4096), {}));
  FAILS_WITH(NotADeviceAddress, "copy destination", device.copy(to_device(a, host.data(), UINT64_MAX - 5), {}));
  SUCCEEDS(device.release(a));
  FAILS_WITH(NotADeviceAddress, "not in a live allocation", device.copy(to_device(a, host.data(), 1), {}));
  return "";
}

std::string a_host_address_is_no_device_address_nor_the_reverse(Device& device) {
  std::vector<uint8_t> host(64);
  GIVES(a, device.allocate(64));
  const auto host_address = reinterpret_cast<DeviceAddress>(host.data());
  FAILS_WITH(NotADeviceAddress, "not in a live allocation", device.copy(to_device(host_address, host.data(), 8), {}));
  FAILS_WITH(NotADeviceAddress, "not in a live allocation", device.copy(to_host(host.data(), host_address, 8), {}));
  FAILS_WITH(NotADeviceAddress, "where a host address is expected", device.copy(to_device(a, reinterpret_cast<void*>(a), 8), {}));
  FAILS_WITH(NotADeviceAddress, "where a host address is expected", device.copy(to_host(reinterpret_cast<void*>(a), a, 8), {}));
  FAILS_WITH(InvalidArgument, "null host address", device.copy(to_device(a, nullptr, 8), {}));
  return "";
}

std::string a_copy_of_0_bytes_is_legal(Device& device) {
  GIVES(a, device.allocate(64));
  SUCCEEDS(device.copy(to_device(a, nullptr, 0), {}));
  SUCCEEDS(device.copy(within(a, a, 0), {}));
  return "";
}

std::string fill_writes_every_byte_and_no_other(Device& device) {
  GIVES(stream, device.create_stream());
  GIVES(a, device.allocate(300'000));
  std::vector<uint8_t> back(300'000);
  for (const uint64_t bytes : {0u, 1u, 63u, 64u, 65u, 1000u, 299'998u}) {
    for (const Handle queue : {Handle{}, stream}) {
      SUCCEEDS(device.fill(a, 0x11, 300'000, queue));
      SUCCEEDS(device.fill(a + 1, 0xEE, bytes, queue));
      SUCCEEDS(device.synchronize(stream, std::chrono::minutes(1)));
      SUCCEEDS(device.copy(to_host(back.data(), a, back.size()), {}));
      for (uint64_t i = 0; i < back.size(); ++i) HOLDS(back[i] == (i >= 1 && i < 1 + bytes ? 0xEE : 0x11));
    }
  }
  FAILS_WITH(NotADeviceAddress, "copy destination", device.fill(a, 0, 300'001, {}));
  return "";
}

std::string statistics_count_what_is_alive(Device& device) {
  const DeviceStatistics before = device.statistics();
  GIVES(a, device.allocate(5000));
  GIVES(b, device.allocate(7000));
  GIVES(stream, device.create_stream());
  GIVES(event, device.create_event());
  SUCCEEDS(device.fill(a, 1, 64, {}));
  const DeviceStatistics now = device.statistics();
  HOLDS(now.live_allocations == before.live_allocations + 2);
  HOLDS(now.live_bytes == before.live_bytes + 12'000);
  HOLDS(now.live_streams == before.live_streams + 1);
  HOLDS(now.live_events == before.live_events + 1);
  HOLDS(now.copies == before.copies + 1 && now.copied_bytes == before.copied_bytes + 64);
  HOLDS(now.calls > before.calls);
  SUCCEEDS(device.release(a));
  SUCCEEDS(device.release(b));
  SUCCEEDS(device.destroy(stream));
  SUCCEEDS(device.destroy(event));
  const DeviceStatistics after = device.statistics();
  HOLDS(after.live_allocations == before.live_allocations && after.live_bytes == before.live_bytes);
  HOLDS(after.live_streams == before.live_streams && after.live_events == before.live_events);
  HOLDS(after.peak_bytes >= 12'000);
  return "";
}

}  // namespace

#define CHECK_OF(name, needs) \
  { #name, needs, &name }

const std::vector<Check>& memory_checks() {
  static const std::vector<Check> checks = {
      CHECK_OF(allocations_are_aligned_apart_and_as_large_as_asked, Needs::kNothing),
      CHECK_OF(an_allocation_of_0_bytes_is_refused, Needs::kNothing),
      CHECK_OF(more_memory_than_there_is_is_refused_with_the_numbers, Needs::kNothing),
      CHECK_OF(released_memory_can_be_allocated_again, Needs::kNothing),
      CHECK_OF(release_takes_exact_live_bases_only, Needs::kNothing),
      CHECK_OF(copies_stay_inside_one_live_allocation, Needs::kNothing),
      CHECK_OF(a_host_address_is_no_device_address_nor_the_reverse, Needs::kNothing),
      CHECK_OF(a_copy_of_0_bytes_is_legal, Needs::kNothing),
      CHECK_OF(fill_writes_every_byte_and_no_other, Needs::kNothing),
      CHECK_OF(statistics_count_what_is_alive, Needs::kNothing),
  };
  return checks;
}

}  // namespace taskmill::conformance
