// The AICPU entry of the runtime variant tensormap_and_ringbuffer: the orchestration runs on the AICPU while its tasks
// execute, and memory is recycled through rings.
#pragma once

#include <cstdint>

#include "arch/traits.h"
#include "wire/program.h"

namespace taskmill::tmr {

int32_t init(const wire::LaunchBlock& launch, const arch::ChipTraits& chip);
wire::Step scheduler_step(const wire::LaunchBlock* launch, uint32_t thread);
void orchestrate(const wire::LaunchBlock* launch);

// For the program of one chip.
template <const arch::ChipTraits& kChip>
constexpr wire::AicpuEntry entry() {
  return {"tmr", [](const wire::LaunchBlock* launch) { return init(*launch, kChip); }, scheduler_step, orchestrate};
}

}  // namespace taskmill::tmr
