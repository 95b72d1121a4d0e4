// Devices by platform name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "taskmill/driver.h"

namespace taskmill {

// "a2a3null", "a5null": the device that runs nothing. "a2a3sim", "a5sim": a simulated chip, in the executor that TASKMILL_SIM_EXECUTOR
// names (pool, the default, or seeded) with TASKMILL_SIM_SEED. "a2a3", "a5": Unsupported, this build has no driver for hardware. Any other
// name: InvalidArgument.
Result<std::unique_ptr<Device>> open_platform(const std::string& platform, int32_t device_id);

}  // namespace taskmill
