#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "arch/find.h"
#include "driver/checks.h"
#include "driver/sim/make_sim_device.h"
#include "driver/sim/pool_backend.h"
#include "driver/sim/seeded_backend.h"
#include "driver/sim/sim_device.h"
#include "support/cpus.h"

namespace taskmill {
namespace {

// A number in the environment; `fallback` if the variable is not set or empty.
Result<uint64_t> number_from_environment(const char* name, uint64_t fallback, uint64_t least, uint64_t most) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  const std::string_view digits = text;
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc() && end == digits.data() + digits.size() && value >= least && value <= most) return value;
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}=\"{}\": a number from {} to {} is expected", name, text, least, most));
}

uint64_t three_quarters_of_this_machine() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) / 4 * 3 * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<std::unique_ptr<Device>> open_sim_device(const SimOptions& options) {
  const arch::ChipTraits* traits = arch::find(options.arch);
  if (traits == nullptr) return fail(ErrorCode::kInvalidArgument, fmt::format("arch {} is unknown", static_cast<uint32_t>(options.arch)));
  if (options.clusters > traits->clusters) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} clusters: {} has {}", options.clusters, traits->name, traits->clusters));
  }
  DeviceInfo info = driver::describe(*traits, "sim");
  if (options.clusters != 0) info.clusters = options.clusters;
  info.cores = 3 * info.clusters;
  info.memory_bytes = options.memory_bytes != 0 ? options.memory_bytes : std::min(traits->memory_bytes, three_quarters_of_this_machine());
  info.runs_programs = true;
  info.timestamps = true;
  if (options.executor == SimExecutor::kSeeded) {
    return make_sim_device(std::move(info), std::make_unique<sim::SeededBackend>(sim::SeededOptions{
                                                .seed = options.seed, .cost = options.cost, .noncoherent = options.noncoherent}));
  }
  TASKMILL_ASSIGN(const uint64_t from_environment, number_from_environment("TASKMILL_SIM_THREADS", available_cpus(), 1, 1024));
  sim::PoolOptions pool;
  pool.threads = options.threads != 0 ? options.threads : static_cast<uint32_t>(from_environment);
  pool.noncoherent = options.noncoherent;
  pool.clock = options.clock != nullptr ? options.clock : &sim::monotonic_clock();
  return make_sim_device(std::move(info), std::make_unique<sim::PoolBackend>(pool));
}

Result<std::unique_ptr<Device>> open_sim_device(std::string_view platform) {
  TASKMILL_ASSIGN(const arch::ChipTraits* traits, driver::arch_of_platform(platform, "sim"));
  SimOptions options;
  options.arch = traits->id;
  const char* executor = std::getenv("TASKMILL_SIM_EXECUTOR");
  const std::string_view kind = executor != nullptr ? executor : "";
  if (kind == "seeded") {
    options.executor = SimExecutor::kSeeded;
  } else if (!kind.empty() && kind != "pool") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("TASKMILL_SIM_EXECUTOR=\"{}\": pool or seeded is expected", kind));
  }
  TASKMILL_ASSIGN(options.seed, number_from_environment("TASKMILL_SIM_SEED", 1, 0, UINT64_MAX));
  TASKMILL_ASSIGN(const uint64_t noncoherent, number_from_environment("TASKMILL_SIM_NONCOHERENT", 0, 0, 1));
  options.noncoherent = noncoherent != 0;
  return open_sim_device(options);
}

}  // namespace taskmill
