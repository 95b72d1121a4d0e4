#include "driver/live_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace taskmill::driver {

Result<void> LiveRanges::admit(uint64_t bytes) const {
  if (bytes == 0) return fail(ErrorCode::kInvalidArgument, "an allocation of 0 bytes");
  const std::lock_guard lock(mutex_);
  if (bytes <= capacity_ - live_bytes_) return {};
  return fail(ErrorCode::kOutOfDeviceMemory, fmt::format("{} bytes wanted, {} of the device's {} bytes are in use", text::grouped(bytes),
                                                         text::grouped(live_bytes_), text::grouped(capacity_)));
}

void LiveRanges::insert(DeviceAddress base, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ranges_.emplace(base, bytes);
  live_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
}

Result<uint64_t> LiveRanges::remove(DeviceAddress base) {
  const std::lock_guard lock(mutex_);
  const auto range = ranges_.find(base);
  if (range == ranges_.end())
    return fail(ErrorCode::kNotADeviceAddress, fmt::format("release: {:#x} is not the start of a live allocation", base));
  const uint64_t bytes = range->second;
  ranges_.erase(range);
  live_bytes_ -= bytes;
  return bytes;
}

std::map<DeviceAddress, uint64_t>::const_iterator LiveRanges::find(DeviceAddress address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return ranges_.end();
  const auto range = std::prev(after);
  return address - range->first < range->second ? range : ranges_.end();
}

Result<void> LiveRanges::check(DeviceAddress address, uint64_t bytes, std::string_view what) const {
  if (bytes == 0) return {};
  const std::lock_guard lock(mutex_);
  const auto range = find(address);
  if (range == ranges_.end()) {
    return fail(ErrorCode::kNotADeviceAddress, fmt::format("{}: {:#x} is not in a live allocation of this device", what, address));
  }
  const uint64_t room = range->second - (address - range->first);
  if (bytes <= room) return {};
  return fail(ErrorCode::kNotADeviceAddress, fmt::format("{}: {} bytes at {:#x} leave their allocation, which ends after {} bytes", what,
                                                         text::grouped(bytes), address, text::grouped(room)));
}

bool LiveRanges::contains(DeviceAddress address) const {
  const std::lock_guard lock(mutex_);
  return find(address) != ranges_.end();
}

std::vector<DeviceAddress> LiveRanges::bases() const {
  const std::lock_guard lock(mutex_);
  std::vector<DeviceAddress> bases;
  for (const auto& [base, bytes] : ranges_) bases.push_back(base);
  return bases;
}

Result<void> LiveRanges::check_host(DeviceAddress address, std::string_view what) const {
  if (address == 0) return fail(ErrorCode::kInvalidArgument, fmt::format("{}: null host address", what));
  if (!contains(address)) return {};
  return fail(ErrorCode::kNotADeviceAddress, fmt::format("{}: {:#x} is a device address where a host address is expected", what, address));
}

Result<void> LiveRanges::check_copy(const Copy& copy) const {
  if (copy.bytes == 0) return {};
  const bool to_device = copy.kind != CopyKind::kDeviceToHost;
  const bool from_device = copy.kind != CopyKind::kHostToDevice;
  TASKMILL_TRY(to_device ? check(copy.destination, copy.bytes, "copy destination") : check_host(copy.destination, "copy destination"));
  return from_device ? check(copy.source, copy.bytes, "copy source") : check_host(copy.source, "copy source");
}

void LiveRanges::report(DeviceStatistics* statistics) const {
  const std::lock_guard lock(mutex_);
  statistics->live_allocations = ranges_.size();
  statistics->live_bytes = live_bytes_;
  statistics->peak_bytes = peak_bytes_;
}

}  // namespace taskmill::driver
