// Device addresses in a launch block.
#pragma once

#include "driver/live_ranges.h"
#include "wire/launch_block.h"

namespace taskmill::sim {

// Every address that the block gives lies in live device memory, and its clusters and threads fit the device. A block of
// another version is left to the AICPU program, which refuses it.
Result<void> check_launch_addresses(const wire::LaunchBlock& launch, const DeviceInfo& info, const driver::LiveRanges& live);

}  // namespace taskmill::sim
