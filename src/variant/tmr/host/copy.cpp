#include "variant/tmr/host/run.h"

namespace taskmill::tmr {

Result<uint64_t> copy_in_run_inputs(const RunSlot& slot, const RunBindings& run) {
  uint64_t bytes = 0;
  for (const TensorLease& lease : run.leases) {
    if (!lease.needs_copy_in) continue;
    TASKMILL_TRY(slot.device().copy({lease.device, lease.host, lease.bytes, CopyKind::kHostToDevice}, Handle{}));
    bytes += lease.bytes;
  }
  return bytes;
}

Result<uint64_t> copy_back_run_outputs(const RunSlot& slot, const RunBindings& run, bool succeeded, bool launched) {
  uint64_t bytes = 0;
  if (!launched || !succeeded) return bytes;
  for (const TensorLease& lease : run.leases) {
    if (!lease.needs_copy_back) continue;
    TASKMILL_TRY(slot.device().copy({lease.host, lease.device, lease.bytes, CopyKind::kDeviceToHost}, Handle{}));
    bytes += lease.bytes;
  }
  return bytes;
}

Result<void> release_run_bindings(const RunSlot& slot, RunBindings& run) {
  Result<void> first;
  if (run.quarantined) return first;
  for (const TensorLease& lease : run.leases) {
    if (lease.release != TensorReleaseKind::kFree) continue;
    Result<void> released = slot.device().release(lease.device);
    if (!released && first) first = std::move(released);
  }
  run.leases.clear();
  return first;
}

}  // namespace taskmill::tmr
