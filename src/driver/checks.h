// Boundary checks that drivers share.
#pragma once

#include <chrono>
#include <string_view>

#include "arch/traits.h"
#include "taskmill/driver.h"
#include "wire/launch_block.h"

namespace taskmill::driver {

// A time-out is positive.
Result<void> check_timeout(std::chrono::milliseconds timeout);

// The launch block of a launch, if its size and its blocks fit this device.
Result<wire::LaunchBlock> check_launch(const Launch& launch, const DeviceInfo& info);

// The arch that a platform name begins with: "a2a3sim" is an a2a3. `suffix` is the driver's part of the name.
Result<const arch::ChipTraits*> arch_of_platform(std::string_view platform, std::string_view suffix);

// An info with the chip's facts filled in.
DeviceInfo describe(const arch::ChipTraits& traits, std::string_view suffix);

}  // namespace taskmill::driver
