#include "driver/checks.h"

#include <fmt/format.h>

#include <cstring>

#include "arch/find.h"
#include "driver/handle_table.h"

namespace taskmill::driver {
namespace {

const char* name_of(HandleKind kind) {
  switch (kind) {
    case HandleKind::kNone:
      return "empty handle";
    case HandleKind::kStream:
      return "stream";
    case HandleKind::kEvent:
      return "event";
    case HandleKind::kImage:
      return "image";
  }
  return "unknown kind of handle";
}

}  // namespace

Error stale_handle(Handle handle, HandleKind expected) {
  if (handle.kind != expected) {
    return {ErrorCode::kStaleHandle,
            fmt::format("{} {} is given where {} is expected", name_of(handle.kind), handle.id, name_of(expected))};
  }
  return {ErrorCode::kStaleHandle, fmt::format("{} {} is not alive on this device", name_of(handle.kind), handle.id)};
}

Result<void> check_timeout(std::chrono::milliseconds timeout) {
  if (timeout.count() > 0) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("a time-out of {} ms: it must be positive", timeout.count()));
}

Result<wire::LaunchBlock> check_launch(const Launch& launch, const DeviceInfo& info) {
  wire::LaunchBlock block;
  if (launch.arguments.size() < sizeof block) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("launch arguments have {} bytes, a launch block has {}", launch.arguments.size(), sizeof block));
  }
  std::memcpy(&block, launch.arguments.data(), sizeof block);
  const bool aicpu = launch.processor == Processor::kAicpu;
  const uint32_t most = aicpu ? info.aicpu_threads : info.clusters;
  if (launch.blocks == 0 || launch.blocks > most) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("launch of {} {}: this device has 1 to {}", launch.blocks, aicpu ? "AICPU threads" : "clusters", most));
  }
  return block;
}

Result<const arch::ChipTraits*> arch_of_platform(std::string_view platform, std::string_view suffix) {
  if (platform.ends_with(suffix)) {
    if (const arch::ChipTraits* traits = arch::find(platform.substr(0, platform.size() - suffix.size()))) return traits;
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("platform \"{}\" is unknown: there are {}{} and {}{}", platform, arch::kA2a3.name,
                                                       suffix, arch::kA5.name, suffix));
}

DeviceInfo describe(const arch::ChipTraits& traits, std::string_view suffix) {
  DeviceInfo info;
  info.platform = fmt::format("{}{}", traits.name, suffix);
  info.arch = static_cast<uint32_t>(traits.id);
  info.clusters = traits.clusters;
  info.cores = traits.cores();
  info.aicpu_threads = traits.aicpu_launch_bound;
  info.memory_bytes = traits.memory_bytes;
  return info;
}

}  // namespace taskmill::driver
