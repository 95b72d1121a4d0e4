#include "variant/tmr/aicpu/tmr_entry.h"

#include "device/aicpu/run_state.h"

namespace taskmill::tmr {

int32_t init(const wire::LaunchBlock& launch, const arch::ChipTraits& chip) { return aicpu::init_run(launch, chip); }

wire::Step scheduler_step(const wire::LaunchBlock* launch, uint32_t thread) {
  const wire::Step step = aicpu::RunState::of(*launch).schedulers[thread].pass();
  if (step == wire::Step::kDone) aicpu::write_result(*launch);
  return step;
}

void orchestrate(const wire::LaunchBlock* launch) { aicpu::RunState::of(*launch).orchestrator.run(); }

}  // namespace taskmill::tmr
