#include "trace/trace.h"
#include "variant/tmr/host/make_image.h"

namespace taskmill::tmr {
namespace {

// Releases the leases of a run that was not finished.
class LeaseGuard {
 public:
  LeaseGuard(const RunSlot& slot, RunBindings& run) : slot_(slot), run_(&run) {}
  ~LeaseGuard() {
    if (run_ != nullptr) (void)release_run_bindings(slot_, *run_);
  }
  LeaseGuard(const LeaseGuard&) = delete;
  LeaseGuard& operator=(const LeaseGuard&) = delete;
  void dismiss() { run_ = nullptr; }

 private:
  const RunSlot& slot_;
  RunBindings* run_;
};

TensorLease lease_of(const Root& root) {
  TensorLease lease;
  lease.bytes = root.bytes;
  if (root.bytes == 0) return lease;
  if (root.on_device) {
    lease.device = root.address;
    return lease;
  }
  lease.host = root.address;
  lease.needs_copy_in = root.reads;
  lease.needs_copy_back = root.writes;
  lease.release = TensorReleaseKind::kFree;
  return lease;
}

Result<void> allocate_leases(const RunSlot& slot, const RunInputs& inputs, const Roots& roots, RunBindings* run) {
  for (const Root& root : roots.roots) {
    TensorLease lease = lease_of(root);
    if (lease.release == TensorReleaseKind::kFree) {
      Result<DeviceAddress> address = slot.device().allocate(lease.bytes);
      if (!address) return fail(std::move(address).error(), inputs.tensors[root.first].label);
      lease.device = *address;
    }
    run->leases.push_back(lease);
  }
  return {};
}

Result<void> upload(const RunSlot& slot, DeviceAddress destination, const std::vector<std::byte>& bytes) {
  return slot.device().copy({destination, reinterpret_cast<uint64_t>(bytes.data()), bytes.size(), CopyKind::kHostToDevice}, Handle{});
}

// Empty lanes; the records behind them need no contents.
Result<void> upload_trace_header(const RunSlot& slot, uint32_t records_per_lane) {
  std::vector<std::byte> lanes(wire::trace_region_bytes(slot.trace_lanes(), 0));
  trace::init_region(reinterpret_cast<uint64_t>(lanes.data()), slot.trace_lanes(), records_per_lane);
  return upload(slot, slot.trace().address(), lanes);
}

}  // namespace

Result<RunBindings> bind_run(RunSlot& slot, const RunInputs& inputs) {
  TASKMILL_TRY(slot.usable());
  TASKMILL_ASSIGN(const Roots roots, find_roots(inputs.tensors));
  TASKMILL_ASSIGN(const SlotNeeds needs, slot_needs(slot, inputs));
  RunBindings run;
  LeaseGuard guard(slot, run);
  TASKMILL_TRY(allocate_leases(slot, inputs, roots, &run));
  TASKMILL_TRY(slot.reserve(needs));
  run.serial = slot.next_serial();
  RunImage image = make_image(slot, inputs, needs, roots, run);
  if (inputs.trace_records_per_lane != 0) TASKMILL_TRY(upload_trace_header(slot, inputs.trace_records_per_lane));
  if (!image.tables.empty()) TASKMILL_TRY(upload(slot, slot.tables().address(), image.tables));
  slot.commit(std::move(image));
  guard.dismiss();
  return run;
}

}  // namespace taskmill::tmr
