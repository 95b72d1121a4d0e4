// A simulated device around an executor.
#pragma once

#include "driver/sim/executor.h"
#include "taskmill/driver.h"

namespace taskmill {

Result<std::unique_ptr<Device>> make_sim_device(DeviceInfo info, std::unique_ptr<sim::Executor> executor);

}  // namespace taskmill
