// A simulated NPU in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "arch/traits.h"
#include "driver/sim/clock.h"
#include "driver/sim/unit.h"
#include "taskmill/driver.h"

namespace taskmill {

enum class SimExecutor : uint8_t {
  kPool,    // fast: steps run on the CPUs available
  kSeeded,  // one step at a time in an order drawn from a seed, on a virtual clock
};

struct SimOptions {
  arch::ArchId arch = arch::ArchId::kA2a3;
  SimExecutor executor = SimExecutor::kPool;
  uint64_t seed = 1;            // kSeeded
  sim::CostTable cost = {};     // kSeeded
  uint32_t threads = 0;         // kPool; 0: $TASKMILL_SIM_THREADS, else the CPUs available to the process
  uint32_t clusters = 0;        // 0: the whole chip
  uint64_t memory_bytes = 0;    // 0: the chip's, at most three quarters of this machine's
  bool noncoherent = false;     // AICPU and cores see the run region in memories of their own
  sim::Clock* clock = nullptr;  // kPool; outlives the device. Null: monotonic
};

Result<std::unique_ptr<Device>> open_sim_device(const SimOptions& options);

// `platform`: "a2a3sim" or "a5sim". Environment: TASKMILL_SIM_EXECUTOR (pool, seeded), TASKMILL_SIM_SEED,
// TASKMILL_SIM_THREADS, TASKMILL_SIM_NONCOHERENT (0, 1).
Result<std::unique_ptr<Device>> open_sim_device(std::string_view platform);

}  // namespace taskmill
