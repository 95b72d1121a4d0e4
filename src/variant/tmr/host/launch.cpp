#include "variant/tmr/host/run.h"

namespace taskmill::tmr {
namespace {

Result<void> launch_with_event(const RunSlot& slot, Processor processor, bool* went_in) {
  const bool aicore = processor == Processor::kAicore;
  const Programs& programs = slot.programs();
  Launch launch;
  launch.processor = processor;
  launch.image = aicore ? programs.aicore : programs.aicpu;
  launch.blocks = aicore ? slot.clusters() : programs.scheduler_threads + 1;  // the orchestrator is the last AICPU thread
  launch.arguments = std::as_bytes(std::span(&slot.image().launch, 1));
  const Handle stream = aicore ? slot.aicore_stream() : slot.aicpu_stream();
  TASKMILL_TRY(slot.device().launch(launch, stream));
  *went_in = true;
  return slot.device().record(aicore ? slot.aicore_event() : slot.aicpu_event(), stream);
}

}  // namespace

Result<void> launch_run(RunSlot& slot, RunBindings& run) {
  bool went_in = false;
  Result<void> launched = launch_with_event(slot, Processor::kAicore, &went_in);
  if (launched) launched = launch_with_event(slot, Processor::kAicpu, &went_in);
  if (went_in) slot.mark_launched(run.serial);
  if (!launched && went_in) cancel_run(slot, run);
  return launched;
}

}  // namespace taskmill::tmr
