#include "host/allocation_table.h"

#include <fmt/format.h>

#include "base/checked.h"
#include "support/text.h"

namespace taskmill {

Result<void> AllocationTable::require(std::string_view what, DeviceAddress address, uint64_t bytes) const {
  const auto behind = bytes_of_.upper_bound(address);
  if (behind == bytes_of_.begin()) {
    return fail(ErrorCode::kNotADeviceAddress, fmt::format("{}: {:#x} does not lie in memory of this worker's device", what, address));
  }
  const auto& [base, size] = *std::prev(behind);
  if (address - base >= size && !(address == base + size && bytes == 0)) {
    return fail(ErrorCode::kNotADeviceAddress, fmt::format("{}: {:#x} does not lie in memory of this worker's device", what, address));
  }
  if (range_fits(address - base, bytes, size)) return {};
  return fail(ErrorCode::kNotADeviceAddress,
              fmt::format("{}: {} bytes at {:#x} reach beyond the allocation of {} bytes at {:#x}, which has {} left there", what,
                          text::grouped(bytes), address, text::grouped(size), base, text::grouped(size - (address - base))));
}

}  // namespace taskmill
