#include <chrono>

#include "support/log.h"
#include "variant/tmr/host/run.h"
#include "wire/mailbox.h"
#include "wire/token.h"

namespace taskmill::tmr {
namespace {

constexpr std::chrono::milliseconds kLeaveLimit{2'000};

// Copies the exit words into the cores' dispatch words. The rest of a register line stays as it is.
Result<void> send_exit(RunSlot& slot, uint32_t exit_word) {
  std::vector<wire::CoreRegisters>& exits = slot.exit_words();
  for (wire::CoreRegisters& core : exits) core.dispatch_ = exit_word;
  for (size_t core = 0; core < exits.size(); ++core) {
    const Copy copy = {slot.registers().address() + core * sizeof exits[core], reinterpret_cast<uint64_t>(&exits[core].dispatch_),
                       sizeof exits[core].dispatch_, CopyKind::kHostToDevice};
    TASKMILL_TRY(slot.device().copy(copy, slot.helper_stream()));
  }
  return slot.device().synchronize(slot.helper_stream(), kLeaveLimit);
}

}  // namespace

void cancel_run(RunSlot& slot, RunBindings& run) {
  const uint32_t exit_word = wire::make_token(wire::run_generation(run.serial), wire::kExitSequence);
  Device& device = slot.device();
  const bool left = send_exit(slot, exit_word) && device.synchronize(slot.aicore_stream(), kLeaveLimit) &&
                    device.synchronize(slot.aicpu_stream(), kLeaveLimit);
  if (!left) give_up_run(slot, run, "a run that failed did not leave when told to");
}

void give_up_run(RunSlot& slot, RunBindings& run, const std::string& reason) {
  const Result<void> abandoned = slot.device().abandon(reason);
  if (abandoned) return;
  log::error("the device could not be abandoned: " + abandoned.error().message);
  run.quarantined = true;
  slot.quarantine(reason);
}

}  // namespace taskmill::tmr
