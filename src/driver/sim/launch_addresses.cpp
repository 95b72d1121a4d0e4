#include "driver/sim/launch_addresses.h"

#include <fmt/format.h>

namespace taskmill::sim {

Result<void> check_launch_addresses(const wire::LaunchBlock& launch, const DeviceInfo& info, const driver::LiveRanges& live) {
  if (launch.version != wire::kLaunchVersion) return {};
  if (launch.clusters == 0 || launch.clusters > info.clusters) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("launch block: {} clusters, this device has 1 to {}", launch.clusters, info.clusters));
  }
  if (launch.scheduler_threads == 0 || launch.scheduler_threads > info.aicpu_threads) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("launch block: {} scheduler threads, this device has 1 to {}", launch.scheduler_threads, info.aicpu_threads));
  }
  const uint64_t cores = 3 * uint64_t{launch.clusters};
  const struct {
    const char* what;
    uint64_t address;
    uint64_t bytes;
  } ranges[] = {
      {"launch block: registers", launch.registers, cores * sizeof(wire::CoreRegisters)},
      {"launch block: region", launch.region, launch.region_bytes},
      {"launch block: heap", launch.heap, launch.sizes.heap_bytes()},
      {"launch block: functions", launch.functions, uint64_t{launch.function_count} * sizeof(uint64_t)},
      {"launch block: entry_tensors", launch.entry_tensors, uint64_t{launch.entry_tensor_count} * sizeof(wire::EntryTensor)},
      {"launch block: entry_scalars", launch.entry_scalars, uint64_t{launch.entry_scalar_count} * sizeof(uint64_t)},
      {"launch block: result", launch.result, sizeof(wire::ResultBlock)},
      {"launch block: trace", launch.trace, launch.trace == 0 ? 0 : launch.trace_bytes},
  };
  for (const auto& range : ranges) TASKMILL_TRY(live.check(range.address, range.bytes, range.what));
  return {};
}

}  // namespace taskmill::sim
