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

namespace taskmill::graph {

// A task's local id: its position in the run's order of submits, modulo 2³².
using TaskRef = uint32_t;

constexpr uint32_t kNoSlot = 0xFFFF'FFFF;
constexpr uint32_t kMaxKernelIds = 1u << 16;

// Lines of an argument block: a TensorSlot per tensor, a u64 per scalar.
constexpr uint32_t argument_block_lines(uint32_t tensor_count, uint32_t scalar_count) {
  return (8 * (tensor_count + scalar_count) + kCacheLineBytes - 1) / kCacheLineBytes;
}

// What a scheduler needs to dispatch the task. Written by the orchestrator before the task can become ready.
struct TaskDescription {
  TaskRef task;
  uint32_t argument_line;  // first line of the argument block
  uint16_t kernel_id;
  CoreType core_type;
  uint8_t tensor_count;
  uint8_t scalar_count;
  uint8_t descriptor_lines;  // of the task's own descriptors, right behind the block
  uint8_t reserved[2];

  // Bytes from the block's start that a kernel's core reads: one publish, one invalidate.
  uint32_t arguments_bytes() const {
    return static_cast<uint32_t>(kCacheLineBytes) * (argument_block_lines(tensor_count, scalar_count) + descriptor_lines);
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
