// One task: a cache line that orchestrator, completers and schedulers share, laid out by who writes. Owner of contract 2's
// states from "submitted" to "completed".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/align.h"
#include "graph/consumer_list.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

// A task as the orchestrator names it: the ring in the upper three bits, the position in the ring modulo 2²⁹ below. 2²⁹ tasks
// later the name is used again. What is named by a live task lives itself or is looked at before (TaskRing::live), so a name
// that is too old costs an edge to an earlier task at worst.
using TaskRef = uint32_t;
constexpr uint32_t kPositionBits = 29;
// The rings of the scope depths, and one for groups (access_index.h): no scope holds anything there.
constexpr uint32_t kGroupRing = wire::kRings;
constexpr uint32_t kTaskRings = wire::kRings + 1;
constexpr TaskRef make_task_ref(uint32_t ring, uint64_t position) {
  return ring << kPositionBits | (static_cast<uint32_t>(position) & ((1u << kPositionBits) - 1));
}
constexpr uint32_t ring_of(TaskRef task) { return task >> kPositionBits; }

// A task's public id (contract 8).
constexpr uint64_t make_task_id(uint32_t ring, uint64_t position) { return uint64_t{ring} << 32 | static_cast<uint32_t>(position); }

constexpr uint32_t kNoSlot = 0xFFFF'FFFF;
// TaskDescription::kernel_id of tasks that run nothing: they only order others.
constexpr uint16_t kNoKernelId = 0xFFFE;
constexpr uint16_t kGroupKernelId = 0xFFFF;  // of the runtime's own (access_index.h)
constexpr uint32_t kMaxKernelIds = kNoKernelId;

// Lines of an argument block: a TensorSlot per tensor, a u64 per scalar, a slot number per retained producer.
constexpr uint32_t argument_block_lines(uint32_t tensor_count, uint32_t scalar_count, uint32_t retained_count) {
  return (8 * (tensor_count + scalar_count) + 4 * retained_count + kCacheLineBytes - 1) / kCacheLineBytes;
}

// What a scheduler needs to dispatch the task. Written by the orchestrator before the task can become ready.
struct TaskDescription {
  uint32_t task;           // its place in the run's order of submits, modulo 2³²; of a group that of the submit that formed it
  uint32_t argument_line;  // first line of the argument block
  uint16_t kernel_id;
  CoreType core_type;
  uint8_t tensor_count;
  uint8_t scalar_count;
  uint8_t descriptor_lines;  // of the task's own descriptors, right behind the block
  uint16_t retained_count;   // producers whose buffers are kept for this task, beyond those of its tensors

  bool has_kernel() const { return kernel_id < kNoKernelId; }
  bool is_group() const { return kernel_id == kGroupKernelId; }
  uint32_t descriptor_line() const { return argument_line + argument_block_lines(tensor_count, scalar_count, retained_count); }
  // Bytes from the block's start that a kernel's core reads: one publish, one invalidate.
  uint32_t arguments_bytes() const {
    return static_cast<uint32_t>(kCacheLineBytes) * (descriptor_line() - argument_line + descriptor_lines);
  }
};
static_assert(sizeof(TaskDescription) == 16);

class alignas(kCacheLineBytes) TaskSlot {
 public:
  // ---- orchestrator

  // free → submitted. Nobody else can reach the slot: its last occupant retired, and no list leads to it yet.
  void allocate(const TaskDescription& description) {
    consumers.reset();
    // Relaxed: the push or the hand-over that makes the slot reachable releases both stores.
    std::atomic_ref(missing_).store(kLinking, std::memory_order_relaxed);
    std::atomic_ref(pins_released_).store(0, std::memory_order_relaxed);
    description_ = description;
  }
  // free → completed, for a task that has nothing to wait for and nothing to do: whoever looks at it is satisfied.
  void allocate_completed(const TaskDescription& description) {
    allocate(description);
    consumers.seal();
    mark_done();
  }
  // Exchanges the bias that kept the task from becoming ready for the number of edges that were linked. True: the task is
  // ready now, and the caller hands it over.
  bool finish_linking(uint32_t linked) {
    if (linked == 0) {
      // Relaxed: without edges nobody else counts here; handing the task over releases the store.
      std::atomic_ref(missing_).store(0, std::memory_order_relaxed);
      return true;
    }
    const int32_t change = static_cast<int32_t>(linked) - kLinking;
    return std::atomic_ref(missing_).fetch_add(change, std::memory_order_acq_rel) + change == 0;
  }
  // Acquire: what the task and its completer did is visible before the slot is used again.
  bool done() { return std::atomic_ref(missing_).load(std::memory_order_acquire) == kDone; }
  // Acquire: the releasing tasks no longer touch the buffers when these are used again.
  uint32_t pins_released() { return std::atomic_ref(pins_released_).load(std::memory_order_acquire); }

  // ---- completer of a producer

  // One producer less. True: the task is ready now, and the caller hands it over.
  bool drop_missing() { return std::atomic_ref(missing_).fetch_sub(1, std::memory_order_acq_rel) == 1; }

  // ---- completer of a task that names a buffer of this one

  void release_pin() { std::atomic_ref(pins_released_).fetch_add(1, std::memory_order_release); }

  // ---- completer of this task: submitted → completed, its last write to the slot

  void mark_done() { std::atomic_ref(missing_).store(kDone, std::memory_order_release); }

  // ---- whoever holds the task between submitted and completed

  const TaskDescription& description() const { return description_; }

  ConsumerList consumers;            // contract 3
  uint32_t ready_next;               // link of the ready list that the task is in; its holder's
  uint32_t edge_next[kInlineEdges];  // links of this task's edges in its producers' lists; see consumer_list.h

 private:
  static constexpr int32_t kLinking = 1 << 30;
  static constexpr int32_t kDone = INT32_MIN;

  int32_t missing_;  // producers that have not completed; kLinking more while edges are linked; kDone at the end
  uint32_t pins_released_;
  TaskDescription description_;
};
static_assert(sizeof(TaskSlot) == kCacheLineBytes && alignof(TaskSlot) == kCacheLineBytes);
static_assert(std::is_trivially_copyable_v<TaskSlot> && std::is_trivially_default_constructible_v<TaskSlot>);

}  // namespace taskmill::graph
