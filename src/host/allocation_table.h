// The device memory that a user asked a worker for. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "taskmill/driver.h"

namespace taskmill {

class AllocationTable {
 public:
  void add(DeviceAddress base, uint64_t bytes) { bytes_of_.emplace(base, bytes); }
  void remove(DeviceAddress base) { bytes_of_.erase(base); }
  bool is_base(DeviceAddress address) const { return bytes_of_.contains(address); }
  void clear() { bytes_of_.clear(); }

  // NotADeviceAddress unless [address, address + bytes) lies in one live allocation. `what` names whose address it is.
  Result<void> require(std::string_view what, DeviceAddress address, uint64_t bytes) const;

 private:
  std::map<DeviceAddress, uint64_t> bytes_of_;
};

}  // namespace taskmill
