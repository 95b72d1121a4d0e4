// The things of a simulated chip that run: the orchestrator, the scheduler threads and the cores of one run.
#pragma once

#include <cstdint>
#include <functional>

#include "wire/program.h"

namespace taskmill::sim {

enum class UnitKind : uint8_t { kOrchestrator, kScheduler, kCore };

struct Unit {
  UnitKind kind;
  uint32_t index;  // scheduler thread or core; 0 for the orchestrator
  friend bool operator==(const Unit&, const Unit&) = default;
};

// Calls of CorePort and AicpuPort that a test may suppress.
enum class PortCall : uint8_t { kDispatch, kPublish, kInvalidate, kClean, kArmTimer, kWake, kNotify };

// Virtual ns that work takes; all zero by default: then only timers move the virtual clock.
struct CostTable {
  uint64_t submit_ns = 0;    // the orchestrator, at each notify
  uint64_t dispatch_ns = 0;  // a scheduler thread, at each dispatch
  // One kernel, from its acknowledgement to its effect and FIN. REQUIRES: a pure function of the dispatch. Empty: 0.
  std::function<uint64_t(const wire::CoreContext&)> kernel_ns;
};

}  // namespace taskmill::sim
