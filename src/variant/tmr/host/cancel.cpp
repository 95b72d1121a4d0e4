#include <chrono>
#include <vector>

#include "support/log.h"
#include "variant/tmr/host/run.h"
#include "wire/mailbox.h"
#include "wire/token.h"

namespace taskmill::tmr {
namespace {

constexpr std::chrono::milliseconds kLeaveLimit{2'000};

// Copies the exit words into the cores' dispatch words. The rest of a register line stays as it is.
Result<void> send_exit(const RunSlot& slot, const std::vector<wire::CoreRegisters>& exits) {
  for (size_t core = 0; core < exits.size(); ++core) {
    const Copy copy = {slot.registers().address() + core * sizeof exits[core], reinterpret_cast<uint64_t>(&exits[core].dispatch_),
                       sizeof exits[core].dispatch_, CopyKind::kHostToDevice};
    TASKMILL_TRY(slot.device().copy(copy, slot.helper_stream()));
  }
  return slot.device().synchronize(slot.helper_stream(), kLeaveLimit);
}

}  // namespace

bool cancel_run(const RunSlot& slot, const RunBindings& run) {
  Device& device = slot.device();
  std::vector<wire::CoreRegisters> exits(slot.cores());  // lives until no queued copy reads it
  for (wire::CoreRegisters& core : exits) core.dispatch_ = wire::make_token(wire::run_generation(run.serial), wire::kExitSequence);
  if (send_exit(slot, exits) && device.synchronize(slot.aicore_stream(), kLeaveLimit) &&
      device.synchronize(slot.aicpu_stream(), kLeaveLimit)) {
    return true;
  }
  const Result<void> abandoned = device.abandon("a launch went in by half and did not leave when told to");
  if (!abandoned) log::error("a half-launched run could not be abandoned: " + abandoned.error().message);
  return abandoned.has_value();
}

}  // namespace taskmill::tmr
