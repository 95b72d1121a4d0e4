#include "device/aicore/core_step.h"

#include "trace/trace.h"
#include "wire/token.h"

namespace taskmill::aicore {
namespace {

using wire::CoreContext;
using wire::Step;

uint32_t generation(const CoreContext& context) { return wire::token_generation(context.last_token); }

wire::CoreMailbox& mailbox(const CoreContext& context) {
  return *reinterpret_cast<wire::CoreMailbox*>(context.region + wire::mailbox_offset(context.core));
}

// The slab that belongs to the acknowledged dispatch.
wire::CompletionSlab& slab(const CoreContext& context) {
  return mailbox(context).slab[wire::payload_slot(wire::token_sequence(context.last_token))];
}

void clean(const CoreContext& context, const void* address, uint64_t bytes) { context.port->clean(context.port->context, address, bytes); }

void invalidate(const CoreContext& context, const void* address, uint64_t bytes) {
  context.port->invalidate(context.port->context, address, bytes);
}

Step say_hello(CoreContext& context) {
  context.last_token = wire::make_token(wire::run_generation(context.launch->run_serial), wire::kHelloSequence);
  context.global = {static_cast<int32_t>(context.lane), 0, {0, 0}, context.services};
  context.phase = static_cast<uint32_t>(Phase::kListening);
  context.registers->report(context.last_token);
  return Step::kProgress;
}

// Takes a new dispatch word. A word of another generation is an earlier run's, left in the register: not for this run.
// A gated dispatch is looked at again from the start at each step, so that EXIT, which replaces it, wins over its gate.
Step listen(CoreContext& context) {
  const uint32_t token = context.registers->received();
  if (token == context.last_token || wire::token_generation(token) != generation(context)) return Step::kIdle;
  const uint32_t sequence = wire::token_sequence(token);
  if (sequence == wire::kExitSequence) {
    context.phase = static_cast<uint32_t>(Phase::kLeft);
    return Step::kDone;
  }
  const wire::DispatchPayload& payload = mailbox(context).payload[wire::payload_slot(sequence)];
  invalidate(context, &payload, sizeof payload);
  context.payload = payload;
  if (payload.gated != 0 && context.registers->gate() != token) return Step::kIdle;
  context.last_token = token;
  context.phase = static_cast<uint32_t>(Phase::kAcknowledged);
  context.registers->report(token);
  return Step::kProgress;
}

uint64_t descriptor_address(const CoreContext& context, const wire::TensorSlot& slot) {
  const uint64_t lines = context.region + wire::line_base_offset(3 * context.launch->clusters);
  return lines + uint64_t{slot.line()} * kCacheLineBytes;
}

// Builds what the kernel is given: addresses in this core's view of the region.
const wire::TensorSlot* gather_arguments(CoreContext& context) {
  const wire::DispatchPayload& payload = context.payload;
  const uint64_t block = context.region + payload.arguments_offset;
  if (payload.arguments_bytes > 0) invalidate(context, reinterpret_cast<const void*>(block), payload.arguments_bytes);
  const auto* tensors = reinterpret_cast<const wire::TensorSlot*>(block);
  const auto* scalars = reinterpret_cast<const int64_t*>(tensors + payload.tensor_count);
  for (uint32_t i = 0; i < payload.tensor_count; ++i) {
    const uint64_t descriptor = descriptor_address(context, tensors[i]);
    const bool in_block = descriptor - block < payload.arguments_bytes;
    if (!in_block) invalidate(context, reinterpret_cast<const void*>(descriptor), sizeof(TensorDescriptor));
    context.args[i] = static_cast<int64_t>(descriptor);
  }
  for (uint32_t i = 0; i < payload.scalar_count; ++i) context.args[payload.tensor_count + i] = scalars[i];
  context.local = {payload.block_idx, payload.block_num};
  context.args[kLocalContextSlot] = reinterpret_cast<int64_t>(&context.local);
  context.args[kGlobalContextSlot] = reinterpret_cast<int64_t>(&context.global);
  return tensors;
}

// Writes back the interval of bytes that the view spans.
void clean_tensor(const CoreContext& context, const TensorDescriptor& tensor) {
  uint64_t extent = 1;
  for (uint32_t d = 0; d < tensor.ndims; ++d) {
    if (tensor.shapes[d] == 0) return;
    extent += uint64_t{tensor.shapes[d] - 1} * tensor.strides[d];
  }
  const uint64_t bytes = element_bytes(tensor.dtype);
  clean(context, reinterpret_cast<const void*>(tensor.buffer.addr + tensor.start_offset * bytes), extent * bytes);
}

template <class Trace>
void run_kernel(CoreContext& context, const Trace& trace) {
  const wire::TensorSlot* tensors = gather_arguments(context);
  slab(context) = {};
  wire::SpanRecord span = {};
  if constexpr (Trace::kEnabled) span.start_ns = context.port->now_ns(context.port->context);
  reinterpret_cast<void (*)(int64_t*)>(context.payload.kernel)(context.args);
  if constexpr (Trace::kEnabled) {
    span.end_ns = context.port->now_ns(context.port->context);
    span.task = context.payload.task;
    span.kernel_id = context.payload.kernel_id;
    span.kind = wire::SpanKind::kKernel;
    trace.span(context.core, span);
  }
  // From the slots again: `args` was the kernel's to change.
  for (uint32_t i = 0; i < context.payload.tensor_count; ++i) {
    if (tensors[i].written()) clean_tensor(context, *reinterpret_cast<const TensorDescriptor*>(descriptor_address(context, tensors[i])));
  }
}

// `clean` holds the barrier that orders what it wrote back before the release in report().
Step run(CoreContext& context) {
  const uint64_t trace = context.launch->trace;
  if (trace != 0) {
    run_kernel(context, trace::On(trace));
  } else {
    run_kernel(context, trace::Off(trace));
  }
  clean(context, &slab(context), sizeof(wire::CompletionSlab));
  context.phase = static_cast<uint32_t>(Phase::kListening);
  context.registers->report(context.last_token | wire::kFinished);
  return Step::kProgress;
}

}  // namespace

Step core_step(CoreContext* context) {
  switch (static_cast<Phase>(context->phase)) {
    case Phase::kStart:
      return say_hello(*context);
    case Phase::kListening:
      return listen(*context);
    case Phase::kAcknowledged:
      return run(*context);
    case Phase::kLeft:
      break;
  }
  return Step::kDone;
}

void core_trap(CoreContext* context, uint32_t signal, uint64_t fault_address) {
  wire::CompletionSlab& own = slab(*context);
  own.signal = signal;
  own.fault_address = fault_address;
  clean(*context, &own, sizeof own);
  context->phase = static_cast<uint32_t>(Phase::kLeft);
  context->registers->report(wire::make_token(generation(*context), wire::kExitSequence));
}

}  // namespace taskmill::aicore
