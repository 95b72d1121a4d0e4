// The rings that a task takes room in, as one storage policy of the builder. A task's room is reserved as a whole or not at
// all, and given back in the order of submits.
#pragma once

#include <cstdint>

#include "graph/argument_ring.h"
#include "graph/heap_ring.h"
#include "graph/refusal.h"
#include "graph/region.h"
#include "graph/task_ring.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

// What one task needs besides its slot.
struct Room {
  uint32_t lines;
  uint64_t heap_units;
};

struct Place {
  TaskRef task;
  uint32_t slot;
  uint32_t first_line;
  uint64_t buffers;  // address
};

class RingSet {
 public:
  void init(const GraphRegion& region, const RegionLayout& layout, const wire::LaunchBlock& launch) {
    records_ = region.records;
    tasks_.init(layout.window);
    arguments_.init(layout.first_argument_line, layout.argument_lines);
    heap_.init(launch.heap, launch.sizes.heap_bytes);
  }

  bool fits(const Room& room) const {
    return !tasks_.full() && arguments_.cursor().fits(room.lines) && heap_.cursor().fits(room.heap_units);
  }
  // REQUIRES: fits(room). Starts the task's record.
  Place take(const Room& room) {
    const TaskRef task = tasks_.allocate();
    const ArgumentRing::Lines lines = arguments_.reserve(room.lines);
    const HeapRing::Buffers buffers = heap_.reserve(room.heap_units);
    const uint32_t slot = tasks_.slot(task);
    TaskRecord record = {};
    record.last_consumer = task;
    record.argument_lines = lines.taken;
    record.heap_units = buffers.taken;
    records_[slot] = record;
    return {task, slot, lines.first, buffers.address};
  }
  // Gives back the last lines of the newest task, which did not need them.
  void trim(uint32_t slot, uint32_t lines) {
    arguments_.trim(lines);
    records_[slot].argument_lines -= lines;
  }

  // Retires tasks in the order of submits as long as can_retire(slot); retire(slot) comes before each one's room goes.
  template <class CanRetire, class Retire>
  void reclaim(CanRetire&& can_retire, Retire&& retire) {
    tasks_.note_peak();
    arguments_.note_peak();
    heap_.note_peak();
    while (tasks_.used() != 0) {
      const uint32_t slot = tasks_.slot(tasks_.oldest());
      if (!can_retire(slot)) return;
      retire(slot);
      arguments_.release(records_[slot].argument_lines);
      heap_.release(records_[slot].heap_units);
      tasks_.release();
    }
  }

  // Larger than a whole ring?
  bool never_fits(const Room& room, Refusal* refusal) const {
    if (room.lines > arguments_.cursor().capacity()) {
      *refusal = {ErrorCode::kFlowControlDeadlock, wire::Reason::kRingArguments, -1, room.lines, arguments_.cursor().capacity()};
      return true;
    }
    if (room.heap_units > heap_.cursor().capacity()) {
      *refusal = {ErrorCode::kHeapRingDeadlock, wire::Reason::kRingHeap, -1, heap_bytes(room.heap_units),
                  heap_bytes(heap_.cursor().capacity())};
      return true;
    }
    return false;
  }

  // Which ring has no room, and what would be in it with the task. REQUIRES: !fits(room).
  Refusal shortage(const Room& room) const {
    if (tasks_.full()) {
      return {ErrorCode::kFlowControlDeadlock, wire::Reason::kRingSlots, -1, uint64_t{tasks_.used()} + 1, tasks_.usable()};
    }
    const RingCursor& lines = arguments_.cursor();
    if (!lines.fits(room.lines)) {
      return {ErrorCode::kFlowControlDeadlock, wire::Reason::kRingArguments, -1, lines.used() - lines.wasted() + room.lines,
              lines.capacity()};
    }
    const RingCursor& heap = heap_.cursor();
    return {ErrorCode::kHeapRingDeadlock, wire::Reason::kRingHeap, -1, heap_bytes(heap.used() - heap.wasted() + room.heap_units),
            heap_bytes(heap.capacity())};
  }

  // Without the edges, which lie elsewhere.
  wire::PeakUse peak() const {
    const RingCursor& lines = arguments_.cursor();
    const RingCursor& heap = heap_.cursor();
    wire::PeakUse use = {};
    use.tasks = tasks_.peak();
    use.tasks_size = tasks_.usable();
    use.argument_lines = static_cast<uint32_t>(lines.peak());
    use.argument_lines_size = static_cast<uint32_t>(lines.capacity());
    use.heap_bytes = heap_bytes(heap.peak());
    use.heap_bytes_size = heap_bytes(heap.capacity());
    return use;
  }

  const TaskRing& tasks() const { return tasks_; }

 private:
  static constexpr uint64_t heap_bytes(uint64_t units) { return units * kBufferAlignment; }

  TaskRing tasks_;
  ArgumentRing arguments_;
  HeapRing heap_;
  TaskRecord* records_ = nullptr;
};

}  // namespace taskmill::graph
