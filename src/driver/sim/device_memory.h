// The memory of a simulated device: an address range of its own, so that no host address looks like one of its addresses.
// Pages are committed when first allocated and stay committed: freed ranges are reused, which spares the cost of touching
// new pages. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "driver/live_ranges.h"
#include "taskmill/driver.h"

namespace taskmill::sim {

class DeviceMemory {
 public:
  static Result<std::shared_ptr<DeviceMemory>> reserve(uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  Result<DeviceAddress> allocate(uint64_t bytes);
  Result<void> release(DeviceAddress address);
  const driver::LiveRanges& live() const { return live_; }

  // The side of a copy that must be the host's must lie in no simulated device, this or another.
  Result<void> check_copy(const Copy& copy) const;

 private:
  DeviceMemory(uint64_t base, uint64_t span, uint64_t capacity);
  // Takes `bytes` at `alignment` out of the free ranges, best fit. 0: no room. REQUIRES: mutex_.
  uint64_t carve(uint64_t bytes, uint64_t alignment);
  void give_back(uint64_t base, uint64_t bytes);

  const uint64_t base_;
  const uint64_t span_;
  driver::LiveRanges live_;
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> free_;    // base to bytes; neighbours are merged
  std::map<uint64_t, uint64_t> carved_;  // base to bytes taken
  uint64_t committed_ = 0;               // [base_, base_ + committed_) is committed
};

// Ranges may overlap. Up to a page of aligned words is moved word by word, so that a running kernel that waits for one sees
// the old value or the new, and with it what was moved before.
void move_bytes(uint64_t destination, uint64_t source, uint64_t bytes);

}  // namespace taskmill::sim
