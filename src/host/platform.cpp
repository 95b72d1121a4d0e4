#include "host/platform.h"

#include <fmt/format.h>

#include "arch/find.h"
#include "driver/null/null_device.h"
#include "driver/sim/sim_device.h"

namespace taskmill {

Result<std::unique_ptr<Device>> open_platform(const std::string& platform, int32_t device_id) {
  if (device_id < 0) return fail(ErrorCode::kInvalidArgument, fmt::format("device id {} is negative", device_id));
  if (platform.ends_with("null")) return open_null_device(platform);
  if (platform.ends_with("sim")) return open_sim_device(platform);
  if (arch::find(platform) != nullptr) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("platform \"{}\" is hardware and this build has no hardware driver; use \"{}sim\"", platform, platform));
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("there is no platform \"{}\"; use a2a3sim or a5sim", platform));
}

}  // namespace taskmill
