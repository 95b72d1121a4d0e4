// What the device layer keeps in the run region, at its end, behind the graph's part; and how a run region is checked, laid
// out and wound up. A runtime variant's entry is these four functions and the scheduler's and orchestrator's own.
#pragma once

#include <cstdint>

#include "arch/traits.h"
#include "device/aicpu/orchestrator.h"
#include "device/aicpu/scheduler.h"
#include "device/aicpu/shared_state.h"
#include "graph/region.h"
#include "wire/launch_block.h"

namespace taskmill::aicpu {

// Scheduler threads of a run: one drives every core. The state is laid out per thread, for kMaxSchedulers.
constexpr uint32_t kSchedulersDriven = 1;

struct RunState {
  SharedState shared;
  Orchestrator orchestrator;
  Scheduler schedulers[kMaxSchedulers];

  // At the end of the region, so that a pass finds it without the layout.
  // REQUIRES: init_run accepted the block.
  static RunState& of(const wire::LaunchBlock& launch);
};

struct RunLayout {
  graph::RegionLayout graph;
  uint64_t bytes = 0;  // of the whole region
  bool valid = false;

  static RunLayout make(uint32_t cores, uint32_t entry_tensors, const wire::GraphSizes& sizes);
};

// Least LaunchBlock::region_bytes; 0: the sizes are not legal or overflow.
uint64_t region_bytes(uint32_t cores, uint32_t entry_tensors, const wire::GraphSizes& sizes);

// AicpuEntry::init for a program made for `chip`. Checks the block; a bad one gives BadLaunchBlock, a written result, and
// EXIT to the cores, unless even their number cannot be trusted.
// `first_sequence`: see CoreTable.
int32_t init_run(const wire::LaunchBlock& launch, const arch::ChipTraits& chip, uint32_t first_sequence = 1);

// Writes the result block, the result word last.
void write_result(const wire::LaunchBlock& launch);

}  // namespace taskmill::aicpu
