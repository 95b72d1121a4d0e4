#include "variant/tmr/host/run_slot.h"

#include "wire/run_error.h"

namespace taskmill::tmr {
namespace {

Result<void> zero(Device& device, const DeviceBuffer& buffer) {
  const std::vector<std::byte> zeros(buffer.bytes());
  return device.copy({buffer.address(), reinterpret_cast<uint64_t>(zeros.data()), zeros.size(), CopyKind::kHostToDevice}, Handle{});
}

}  // namespace

Result<std::unique_ptr<RunSlot>> RunSlot::open(Device& device, const Programs& programs) {
  std::unique_ptr<RunSlot> slot(new RunSlot(device, programs));
  TASKMILL_TRY(slot->make_handles());
  TASKMILL_TRY(slot->registers_.reserve(device, uint64_t{device.info().cores} * sizeof(wire::CoreRegisters)));
  TASKMILL_TRY(slot->result_.reserve(device, sizeof(wire::ResultBlock)));
  slot->exit_words_.resize(device.info().cores);
  // Word 0 is "no token" and result word 0 is no run's serial: what the first run finds is older than itself.
  TASKMILL_TRY(zero(device, slot->registers_));
  TASKMILL_TRY(zero(device, slot->result_));
  return slot;
}

// Destroying a stream would wait for the run, and its memory is what the run writes to.
RunSlot::~RunSlot() {
  if (quarantine_.empty()) return;
  for (OwnedHandle* handle : {&aicpu_event_, &aicore_event_, &aicpu_stream_, &aicore_stream_, &helper_stream_}) handle->disown();
  for (DeviceBuffer* buffer : {&registers_, &result_, &region_, &heap_, &tables_, &trace_}) buffer->disown();
}

Result<void> RunSlot::usable() const {
  if (quarantine_.empty()) return {};
  return fail(ErrorCode::kDeviceLost, "a run may still be on the device: " + quarantine_);
}

Result<void> RunSlot::make_handles() {
  for (OwnedHandle* stream : {&aicpu_stream_, &aicore_stream_, &helper_stream_}) {
    TASKMILL_ASSIGN(const Handle handle, device_.create_stream());
    *stream = OwnedHandle(device_, handle);
  }
  for (OwnedHandle* event : {&aicpu_event_, &aicore_event_}) {
    TASKMILL_ASSIGN(const Handle handle, device_.create_event());
    *event = OwnedHandle(device_, handle);
  }
  return {};
}

Result<void> RunSlot::reserve(const SlotNeeds& needs) {
  TASKMILL_TRY(region_.reserve(device_, needs.region_bytes));
  TASKMILL_TRY(heap_.reserve(device_, needs.heap_bytes));
  TASKMILL_TRY(tables_.reserve(device_, needs.table_bytes));
  return trace_.reserve(device_, needs.trace_bytes);
}

}  // namespace taskmill::tmr
