// The live allocations of a device, against which every device address is checked. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "taskmill/driver.h"

namespace taskmill::driver {

class LiveRanges {
 public:
  explicit LiveRanges(uint64_t capacity) : capacity_(capacity) {}

  // Is there room for `bytes` more? InvalidArgument for 0, OutOfDeviceMemory with wanted, live and total bytes.
  Result<void> admit(uint64_t bytes) const;
  void insert(DeviceAddress base, uint64_t bytes);
  // Takes an exact base out; its size. NotADeviceAddress.
  Result<uint64_t> remove(DeviceAddress base);
  // [address, address + bytes) lies in one live allocation. NotADeviceAddress, naming `what` and the address.
  Result<void> check(DeviceAddress address, uint64_t bytes, std::string_view what) const;
  bool contains(DeviceAddress address) const;
  std::vector<DeviceAddress> bases() const;

  // Both sides of a copy: device ranges are live, host addresses are not the device's.
  Result<void> check_copy(const Copy& copy) const;

  void report(DeviceStatistics* statistics) const;

 private:
  // The live range that holds `address`, or end(). REQUIRES: mutex_.
  std::map<DeviceAddress, uint64_t>::const_iterator find(DeviceAddress address) const;
  Result<void> check_host(DeviceAddress address, std::string_view what) const;

  const uint64_t capacity_;
  mutable std::mutex mutex_;
  std::map<DeviceAddress, uint64_t> ranges_;  // base to bytes
  uint64_t live_bytes_ = 0;
  uint64_t peak_bytes_ = 0;
};

}  // namespace taskmill::driver
