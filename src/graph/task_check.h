// Checks everything that one submit says and resolves its arguments to roots and bytes. Touches nothing: a task that is
// refused leaves no trace.
#pragma once

#include <cstdint>

#include "base/checked.h"
#include "graph/access_index.h"
#include "graph/refusal.h"
#include "graph/ring_set.h"
#include "graph/scope_stack.h"
#include "taskmill/error.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"
#include "wire/run_error.h"

namespace taskmill::graph {

constexpr uint32_t kOwnDescriptor = 0xFFFF'FFFF;

struct ResolvedArgument {
  Access access;             // of kOutput: only the use and the bytes; the root is made later
  uint32_t descriptor_line;  // of the root's own descriptor, if the view is equal to it; else kOwnDescriptor
  uint32_t owner;            // 1 + slot of the task that made the buffer; 0: none
  bool tracked;              // an existing tensor, not empty: orders the task
};

struct ResolvedTask {
  Room room;
  uint32_t own_descriptors;
  uint32_t outputs;  // buffers that the runtime makes
  uint32_t tracked;  // arguments that order the task; each may need a line for its access record
  ResolvedArgument arguments[kMaxTaskTensors];
};

// Bytes of the buffer that a specification asks for. False: no such buffer can be described; then *bytes is the largest
// number, or what a row-major layout with 32-bit strides would take.
[[nodiscard]] inline bool buffer_bytes(const TensorSpec& spec, uint64_t* bytes) {
  *bytes = ~uint64_t{0};
  uint64_t elements = 1;
  bool strides_fit = true;
  for (uint32_t d = spec.ndims; d-- > 0;) {
    strides_fit &= elements <= UINT32_MAX;
    if (!checked_mul(elements, spec.shapes[d], &elements)) return false;
  }
  return checked_mul(elements, element_bytes(spec.dtype), bytes) && strides_fit;
}

class TaskCheck {
 public:
  TaskCheck(const GraphRegion& region, const wire::LaunchBlock& launch, const ScopeStack& scopes)
      : region_(region), launch_(launch), scopes_(scopes) {}

  [[nodiscard]] bool resolve(const TaskSpec& spec, ResolvedTask* task, Refusal* refusal) const {
    if (!check_counts(spec, refusal) || !check_kernel(spec.kernel_id, refusal)) return false;
    task->own_descriptors = task->outputs = task->tracked = 0;
    task->room.heap_units = 0;
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      const TensorArgument& given = spec.tensors[i];
      ResolvedArgument& argument = task->arguments[i];
      refusal->argument = static_cast<int32_t>(i);
      const bool resolved = given.mode == ArgumentMode::kOutput ? resolve_output(*given.spec, &argument, refusal)
                                                                : resolve_existing(given, &argument, refusal);
      if (!resolved) return false;
      if (given.mode == ArgumentMode::kOutput) {
        ++task->outputs;
        task->room.heap_units += heap_units(argument.access.footprint.end);
      }
      task->own_descriptors += argument.descriptor_line == kOwnDescriptor;
      task->tracked += argument.tracked;
    }
    refusal->argument = -1;
    task->room.lines = argument_block_lines(spec.tensor_count, spec.scalar_count) + task->own_descriptors + task->outputs + task->tracked;
    return true;
  }

 private:
  static bool refuse(Refusal* refusal, wire::Reason reason, uint64_t needed = 0, uint64_t available = 0) {
    refusal->reason = reason;
    refusal->needed = needed;
    refusal->available = available;
    return false;
  }

  static bool check_counts(const TaskSpec& spec, Refusal* refusal) {
    if (spec.tensor_count > kMaxTaskTensors) return refuse(refusal, wire::Reason::kTooManyTensors, spec.tensor_count, kMaxTaskTensors);
    if (spec.scalar_count > kMaxTaskScalars) return refuse(refusal, wire::Reason::kTooManyScalars, spec.scalar_count, kMaxTaskScalars);
    if (spec.tensor_after_scalar) return refuse(refusal, wire::Reason::kTensorAfterScalar);
    return true;
  }

  bool check_kernel(int32_t kernel_id, Refusal* refusal) const {
    const auto* functions = reinterpret_cast<const uint64_t*>(launch_.functions);
    const auto id = static_cast<uint32_t>(kernel_id);
    if (id < launch_.function_count && id < kMaxKernelIds && functions[id] != 0) return true;
    refusal->code = ErrorCode::kUnknownKernel;
    return refuse(refusal, wire::Reason::kUnknownKernelId, 0, launch_.function_count);
  }

  bool resolve_output(const TensorSpec& spec, ResolvedArgument* argument, Refusal* refusal) const {
    if (!check_rank_and_type(spec.ndims, spec.dtype, refusal)) return false;
    uint64_t bytes = 0;
    if (!buffer_bytes(spec, &bytes) || bytes > launch_.sizes.heap_bytes) {
      refusal->code = ErrorCode::kHeapRingDeadlock;
      return refuse(refusal, wire::Reason::kOutputTooLarge, bytes, launch_.sizes.heap_bytes);
    }
    *argument = {{0, kWrites, true, {0, bytes, true}}, kOwnDescriptor, 0, false};
    return true;
  }

  bool resolve_existing(const TensorArgument& given, ResolvedArgument* argument, Refusal* refusal) const {
    const Tensor& tensor = *given.tensor;
    if (tensor.run_serial != launch_.run_serial) return refuse(refusal, wire::Reason::kForeignTensor);
    if (!scopes_.is_open(tensor.scope_depth, tensor.scope_serial)) return refuse(refusal, wire::Reason::kScopeEnded);
    if (tensor.root >= line_count()) return refuse(refusal, wire::Reason::kForeignTensor);
    const RootRecord& root = *region_.line_as<const RootRecord>(tensor.root);
    if (!root.contains(tensor.buffer.addr, tensor.buffer_bytes)) return refuse(refusal, wire::Reason::kForeignTensor);
    if (tensor.extent_overflow != 0) return refuse(refusal, wire::Reason::kBadView);

    argument->owner = root.owner;
    argument->access.root_line = tensor.root;
    argument->access.use = use_of(given.mode);
    argument->descriptor_line = kOwnDescriptor;
    if (same_descriptor(tensor, *region_.line_as<const TensorDescriptor>(root.descriptor_line))) {
      argument->descriptor_line = root.descriptor_line;
      if (root.descriptor_is_whole) {
        argument->access.whole = true;
        argument->access.footprint = {0, root.bytes, true};
        argument->tracked = root.bytes != 0;
        return true;
      }
    }
    return resolve_view(tensor, root, argument, refusal);
  }

  static bool resolve_view(const Tensor& tensor, const RootRecord& root, ResolvedArgument* argument, Refusal* refusal) {
    if (!check_rank_and_type(tensor.ndims, tensor.dtype, refusal)) return false;
    Footprint footprint;
    const bool bounded = footprint_of(tensor, &footprint);
    if (!bounded || footprint.end > tensor.buffer_bytes) {
      return refuse(refusal, wire::Reason::kOutsideBuffer, bounded ? footprint.end : ~uint64_t{0}, tensor.buffer_bytes);
    }
    argument->tracked = !footprint.empty();
    const uint64_t offset = tensor.buffer.addr - root.base;
    argument->access.footprint = {footprint.begin + offset, footprint.end + offset, footprint.exact};
    argument->access.whole = surely_covers(argument->access.footprint, {0, root.bytes, true});
    return true;
  }

  static bool check_rank_and_type(uint32_t rank, DataType type, Refusal* refusal) {
    if (rank == 0 || rank > kMaxDims) return refuse(refusal, wire::Reason::kBadShape, rank);
    if (element_bytes(type) == 0) return refuse(refusal, wire::Reason::kBadDataType, static_cast<uint64_t>(type), kDataTypeCount);
    return true;
  }

  static uint8_t use_of(ArgumentMode mode) {
    if (mode == ArgumentMode::kInput) return kReads;
    return mode == ArgumentMode::kInout ? kReads | kWrites : kWrites;
  }

  uint32_t line_count() const { return launch_.entry_tensor_count * kEntryLines + launch_.sizes.argument_lines; }

  const GraphRegion& region_;
  const wire::LaunchBlock& launch_;
  const ScopeStack& scopes_;
};

}  // namespace taskmill::graph
