// A device that runs nothing: memory is host memory, copies happen at once, launches complete at once. The way to test
// everything above without a chip, and the skeleton to copy for a new driver.
#pragma once

#include <memory>
#include <string_view>

#include "taskmill/driver.h"

namespace taskmill {

// `platform`: "a2a3null" or "a5null".
Result<std::unique_ptr<Device>> open_null_device(std::string_view platform);

}  // namespace taskmill
