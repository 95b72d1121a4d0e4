// Checks everything that one submit says and resolves its arguments to roots and bytes. Touches nothing: a task that is
// refused leaves no trace.
#pragma once

#include <cstdint>

#include "base/checked.h"
#include "graph/access.h"
#include "graph/hazard_rules.h"
#include "graph/refusal.h"
#include "graph/ring_set.h"
#include "graph/root_finder.h"
#include "graph/scope_stack.h"
#include "taskmill/error.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"
#include "wire/run_error.h"

namespace taskmill::graph {

constexpr uint32_t kOwnDescriptor = 0xFFFF'FFFF;
constexpr uint32_t kMaxDependencies = 0xFFFF;

struct ResolvedArgument {
  Access access;             // of kOutput: only the use and the bytes; the root is made later
  uint32_t descriptor_line;  // of the root's own descriptor, if the view is equal to it; else kOwnDescriptor
  uint32_t owner;            // 1 + slot of the task that made the buffer; 0: none
};

struct ResolvedTask {
  Room room;
  uint32_t own_descriptors;
  uint32_t outputs;   // buffers that the runtime makes
  uint32_t tracked;   // arguments that order later tasks; each may need a line for its access record
  uint32_t retained;  // dependencies whose buffers are kept
  bool fills;         // a buffer has an initial value
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
  TaskCheck() = default;
  // All must outlive the check and stay where they are.
  TaskCheck(const GraphRegion& region, const wire::LaunchBlock& launch, const ScopeStack& scopes, const RingSet& rings,
            const HazardRules& rules, const RootFinder& roots)
      : region_(&region), launch_(&launch), scopes_(&scopes), rings_(&rings), rules_(&rules), roots_(&roots) {
    for (uint32_t mode = 0; mode < kModes; ++mode) {
      for (const bool manual : {false, true}) conducts_[manual][mode] = rules.conduct(static_cast<ArgumentMode>(mode), manual);
    }
  }

  [[nodiscard]] bool resolve(const TaskSpec& spec, ResolvedTask* task, Refusal* refusal) const {
    if (!check_counts(spec, refusal) || !check_kind(spec, refusal)) return false;
    const uint32_t depth = scopes_->innermost();
    const bool manual = scopes_->at(depth).manual;
    task->own_descriptors = task->outputs = task->tracked = task->retained = 0;
    task->fills = false;
    task->room = {.ring = wire::ring_of_depth(depth)};
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      const TensorArgument& given = spec.tensors[i];
      ResolvedArgument& argument = task->arguments[i];
      refusal->argument = static_cast<int32_t>(i);
      if (static_cast<uint32_t>(given.mode) >= kModes) {
        return refuse(refusal, wire::Reason::kUnknownValue, static_cast<uint64_t>(given.mode));
      }
      if (given.mode == ArgumentMode::kOutput) {
        if (!resolve_output(*given.spec, &argument, refusal)) return false;
        ++task->outputs;
        task->fills |= given.spec->has_initial_value;
        task->room.heap_units += heap_units(argument.access.footprint.end);
      } else {
        static_cast<Conduct&>(argument.access) = conducts_[manual][static_cast<uint32_t>(given.mode)];
        argument.access.view_index = static_cast<uint8_t>(task->own_descriptors);
        if (!resolve_existing(*given.tensor, &argument, refusal)) return false;
      }
      task->own_descriptors += argument.descriptor_line == kOwnDescriptor;
      task->tracked += argument.access.tracked;
    }
    if (spec.dependency_count != 0 && !resolve_dependencies(spec, task, refusal)) return false;
    refusal->argument = -1;
    const uint32_t behind_block = task->own_descriptors + task->outputs + task->tracked;
    task->room.lines = argument_block_lines(spec.tensor_count, spec.scalar_count, task->retained) + behind_block;
    task->room.most_lines = argument_block_lines(spec.tensor_count, spec.scalar_count, spec.dependency_count) + behind_block;
    return true;
  }

  // The bytes that an argument uses of an existing tensor. REQUIRES: argument->access has its conduct.
  [[nodiscard]] bool resolve_existing(const Tensor& tensor, ResolvedArgument* argument, Refusal* refusal) const {
    argument->access.whole = false;
    if (tensor.run_serial == 0 && is_empty(tensor)) return resolve_nowhere(tensor, argument, refusal);
    if (!find_root(tensor, argument, refusal)) return false;
    if (tensor.extent_overflow != 0) return refuse(refusal, wire::Reason::kBadView);
    const RootRecord& root = *region_->line_as<const RootRecord>(argument->access.root_line);
    argument->owner = root.owner;
    argument->access.follows_maker &= root.owner != 0;
    argument->descriptor_line = kOwnDescriptor;
    if (same_descriptor(tensor, *region_->line_as<const TensorDescriptor>(root.descriptor_line)) && root.descriptor_is_whole) {
      argument->descriptor_line = root.descriptor_line;
      argument->access.whole = true;
      argument->access.footprint = {0, root.bytes, true};
      argument->access.tracked &= root.bytes != 0;
      return true;
    }
    return resolve_view(tensor, root, argument, refusal);
  }

 private:
  static constexpr uint32_t kModes = 5;

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
    if (spec.kind > TaskKind::kAllocation) return refuse(refusal, wire::Reason::kUnknownValue, static_cast<uint64_t>(spec.kind));
    if (spec.core_type > CoreType::kAiv) return refuse(refusal, wire::Reason::kUnknownValue, static_cast<uint64_t>(spec.core_type));
    if (spec.dependency_count > kMaxDependencies) {
      return refuse(refusal, wire::Reason::kTooManyDependencies, spec.dependency_count, kMaxDependencies);
    }
    return true;
  }

  bool check_kind(const TaskSpec& spec, Refusal* refusal) const {
    if (spec.kind == TaskKind::kKernel) return check_kernel(spec.kernel_id, refusal);
    if (spec.kind == TaskKind::kOrderOnly) return true;
    bool makes_only = spec.tensor_count != 0 && spec.scalar_count == 0 && spec.dependency_count == 0;
    for (uint32_t i = 0; i < spec.tensor_count; ++i) makes_only &= spec.tensors[i].mode == ArgumentMode::kOutput;
    return makes_only || refuse(refusal, wire::Reason::kNothingToAllocate);
  }

  bool check_kernel(int32_t kernel_id, Refusal* refusal) const {
    const auto* functions = reinterpret_cast<const uint64_t*>(launch_->functions);
    const auto id = static_cast<uint32_t>(kernel_id);
    if (id < launch_->function_count && id < kMaxKernelIds && functions[id] != 0) return true;
    refusal->code = ErrorCode::kUnknownKernel;
    return refuse(refusal, wire::Reason::kUnknownKernelId, 0, launch_->function_count);
  }

  bool resolve_dependencies(const TaskSpec& spec, ResolvedTask* task, Refusal* refusal) const {
    for (uint32_t i = 0; i < spec.dependency_count; ++i) {
      TaskRef producer = 0;
      const TaskRings::Known known = rings_->tasks().find(spec.dependencies[i], &producer);
      if (known == TaskRings::Known::kNever) {
        refusal->argument = static_cast<int32_t>(i);
        return refuse(refusal, wire::Reason::kUnknownTask, spec.dependencies[i]);
      }
      task->retained += known == TaskRings::Known::kLive && region_->records[rings_->tasks().slot(producer)].buffers != 0;
    }
    return true;
  }

  bool resolve_output(const TensorSpec& spec, ResolvedArgument* argument, Refusal* refusal) const {
    if (!check_rank_and_type(spec.ndims, spec.dtype, refusal)) return false;
    const uint64_t most = launch_->sizes.rings[wire::ring_of_depth(scopes_->innermost())].heap_bytes;
    uint64_t bytes = 0;
    if (!buffer_bytes(spec, &bytes) || bytes > most) {
      refusal->code = ErrorCode::kHeapRingDeadlock;
      refusal->ring = wire::ring_of_depth(scopes_->innermost());
      return refuse(refusal, wire::Reason::kOutputTooLarge, bytes, most);
    }
    *argument = {};
    argument->access.use = kWrites;
    argument->access.whole = true;
    argument->access.footprint = {0, bytes, true};
    argument->descriptor_line = kOwnDescriptor;
    return true;
  }

  bool find_root(const Tensor& tensor, ResolvedArgument* argument, Refusal* refusal) const {
    if (tensor.run_serial != 0) {
      if (tensor.run_serial != launch_->run_serial) return refuse(refusal, wire::Reason::kForeignTensor);
      if (!scopes_->keeps(tensor.scope_depth, tensor.scope_serial)) return refuse(refusal, wire::Reason::kScopeEnded);
      argument->access.root_line = tensor.root;
      if (tensor.root < region_->line_count &&
          region_->line_as<const RootRecord>(tensor.root)->contains(tensor.buffer.addr, tensor.buffer_bytes)) {
        return true;
      }
    }
    return find_by_address(tensor, argument, refusal);
  }

  [[gnu::noinline]] bool find_by_address(const Tensor& tensor, ResolvedArgument* argument, Refusal* refusal) const {
    Footprint bytes;
    if (tensor.extent_overflow != 0) return refuse(refusal, wire::Reason::kBadView);
    if (!check_rank_and_type(tensor.ndims, tensor.dtype, refusal)) return false;
    if (!footprint_of(tensor, &bytes) || bytes.end > ~tensor.buffer.addr)
      return refuse(refusal, wire::Reason::kOutsideBuffer, ~uint64_t{0});
    const uint64_t first = tensor.buffer.addr + bytes.begin, last = tensor.buffer.addr + bytes.end - 1;
    const uint32_t line = roots_->find(first);
    if (line == kNoRoot) return refuse(refusal, wire::Reason::kUnknownAddress, first);
    const RootRecord& root = *region_->line_as<const RootRecord>(line);
    if (root.owner != 0) {
      const TaskRecord& maker = region_->records[root.owner - 1];
      if (!scopes_->keeps(maker.scope_depth, maker.scope_serial)) return refuse(refusal, wire::Reason::kScopeEnded);
    }
    if (!root.contains(last, 1)) {
      const uint32_t other = roots_->find(last);
      if (other == kNoRoot) return refuse(refusal, wire::Reason::kOutsideBuffer, last + 1 - root.base, root.bytes);
      return refuse(refusal, wire::Reason::kBridgesRoots, root_name(line), root_name(other));
    }
    argument->access.root_line = line;
    return true;
  }

  // Of an entry argument its index; of a buffer that a task made, 2³² plus the task.
  uint64_t root_name(uint32_t line) const {
    const RootRecord& root = *region_->line_as<const RootRecord>(line);
    return root.owner == 0 ? line / kEntryLines : uint64_t{1} << 32 | region_->slots[root.owner - 1].description().task;
  }

  static bool is_empty(const TensorDescriptor& view) {
    for (uint32_t d = 0; d < view.ndims && d < kMaxDims; ++d) {
      if (view.shapes[d] == 0) return true;
    }
    return false;
  }
  // An empty tensor given by address touches nothing, wherever it lies.
  static bool resolve_nowhere(const Tensor& tensor, ResolvedArgument* argument, Refusal* refusal) {
    if (tensor.extent_overflow != 0) return refuse(refusal, wire::Reason::kBadView);
    if (!check_rank_and_type(tensor.ndims, tensor.dtype, refusal)) return false;
    argument->access.tracked = argument->access.follows_maker = false;
    argument->access.root_line = 0;
    argument->access.footprint = {0, 0, true};
    argument->descriptor_line = kOwnDescriptor;
    argument->owner = 0;
    return true;
  }

  static bool resolve_view(const Tensor& tensor, const RootRecord& root, ResolvedArgument* argument, Refusal* refusal) {
    if (!check_rank_and_type(tensor.ndims, tensor.dtype, refusal)) return false;
    Footprint footprint;
    // Modulo 2⁶⁴: a tensor given by address may begin before its root and still touch only bytes of it.
    const uint64_t offset = tensor.buffer.addr - root.base;
    const bool bounded = footprint_of(tensor, &footprint);
    const uint64_t end = root.contains(tensor.buffer.addr, tensor.buffer_bytes) ? tensor.buffer_bytes : root.bytes - offset;
    if (!bounded || footprint.end > end) {
      return refuse(refusal, wire::Reason::kOutsideBuffer, bounded ? footprint.end : ~uint64_t{0}, end);
    }
    argument->access.tracked &= !footprint.empty();
    argument->access.footprint = {footprint.begin + offset, footprint.end + offset, footprint.exact};
    argument->access.whole = surely_covers(argument->access.footprint, {0, root.bytes, true});
    argument->access.view = &tensor;
    return true;
  }

  static bool check_rank_and_type(uint32_t rank, DataType type, Refusal* refusal) {
    if (rank == 0 || rank > kMaxDims) return refuse(refusal, wire::Reason::kBadShape, rank);
    if (element_bytes(type) == 0) return refuse(refusal, wire::Reason::kBadDataType, static_cast<uint64_t>(type), kDataTypeCount);
    return true;
  }

  const GraphRegion* region_ = nullptr;
  const wire::LaunchBlock* launch_ = nullptr;
  const ScopeStack* scopes_ = nullptr;
  const RingSet* rings_ = nullptr;
  const HazardRules* rules_ = nullptr;
  const RootFinder* roots_ = nullptr;
  Conduct conducts_[2][kModes] = {};
};

}  // namespace taskmill::graph
