// The rings that a task takes room in, a set per scope depth. A task's room is reserved as a whole or not at all, and given
// back in the order of the ring's submits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graph/argument_ring.h"
#include "graph/frontier.h"
#include "graph/heap_ring.h"
#include "graph/refusal.h"
#include "graph/region.h"
#include "graph/task_ring.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

// What one task needs besides its slot.
struct Room {
  uint32_t ring = 0;
  uint32_t lines = 0;
  uint32_t most_lines = 0;  // whatever has retired meanwhile
  uint64_t heap_units = 0;
};

struct Place {
  TaskRef task;
  uint32_t slot;
  uint64_t id;
  uint32_t first_line;
  uint64_t buffers;  // address
};

class RingSet {
 public:
  void init(const GraphRegion& region, const RegionLayout& layout, const wire::LaunchBlock& launch) {
    records_ = region.records;
    for (uint32_t i = 0; i < kTaskRings; ++i) {
      const RingPlace& place = layout.rings[i];
      tasks_.at(i).init(i, place.first_slot, place.window);
      rings_[i] = {};
      rings_[i].arguments.init(place.first_line, place.lines);
      rings_[i].heap.init(launch.heap + place.heap, place.heap_bytes);
    }
  }

  bool fits(const Room& room) const {
    const Ring& ring = rings_[room.ring];
    return !tasks_.at(room.ring).full() && ring.arguments.cursor().fits(room.lines) && ring.heap.cursor().fits(room.heap_units);
  }
  // REQUIRES: fits(room). Starts the task's record.
  Place take(const Room& room) {
    Ring& ring = rings_[room.ring];
    TaskRing& tasks = tasks_.at(room.ring);
    const uint64_t id = make_task_id(room.ring, tasks.head());
    const TaskRef task = tasks.allocate();
    const ArgumentRing::Lines lines = ring.arguments.reserve(room.lines);
    const HeapRing::Buffers buffers = ring.heap.reserve(room.heap_units);
    ring.asked_lines += room.most_lines;
    ring.largest_lines = std::max(ring.largest_lines, room.most_lines);
    const uint32_t slot = tasks.slot(task);
    TaskRecord record = {};
    record.last_consumer = task;
    record.argument_lines = lines.taken;
    record.heap_units = buffers.taken;
    record.heap_begin = static_cast<uint32_t>(ring.heap.cursor().head() - room.heap_units);
    records_[slot] = record;
    return {task, slot, id, lines.first, buffers.address};
  }
  // Gives back the last lines of the newest task of a ring, which did not need them.
  void trim(const Place& place, uint32_t lines) {
    rings_[ring_of(place.task)].arguments.trim(lines);
    records_[place.slot].argument_lines -= lines;
  }

  // Retires tasks of a ring in the order of submits as long as can_retire(slot); retire(slot) comes before each one's room
  // goes.
  template <class CanRetire, class Retire>
  void reclaim(uint32_t index, CanRetire&& can_retire, Retire&& retire) {
    Ring& ring = rings_[index];
    TaskRing& tasks = tasks_.at(index);
    tasks.note_peak();
    ring.arguments.note_peak();
    ring.heap.note_peak();
    while (tasks.used() != 0) {
      const uint32_t slot = tasks.slot(tasks.oldest());
      if (!can_retire(slot)) return;
      retire(slot);
      ring.arguments.release(records_[slot].argument_lines);
      ring.heap.release(records_[slot].heap_units);
      tasks.release();
    }
  }

  // Larger than a whole ring?
  bool never_fits(const Room& room, Refusal* refusal) const {
    const RingCursor& lines = rings_[room.ring].arguments.cursor();
    const RingCursor& heap = rings_[room.ring].heap.cursor();
    if (room.lines > lines.capacity()) {
      *refusal = shortage_of(room, ErrorCode::kFlowControlDeadlock, wire::Reason::kRingArguments, room.lines, lines.capacity());
      return true;
    }
    if (room.heap_units > heap.capacity()) {
      *refusal = shortage_of(room, ErrorCode::kHeapRingDeadlock, wire::Reason::kRingHeap, heap_bytes(room.heap_units),
                             heap_bytes(heap.capacity()));
      return true;
    }
    return false;
  }

  // Which ring has no room, and what would be in it with the task. REQUIRES: !fits(room).
  Refusal shortage(const Room& room) const {
    const TaskRing& tasks = tasks_.at(room.ring);
    if (tasks.full()) {
      return shortage_of(room, ErrorCode::kFlowControlDeadlock, wire::Reason::kRingSlots, uint64_t{tasks.used()} + 1, tasks.usable());
    }
    const RingCursor& lines = rings_[room.ring].arguments.cursor();
    if (!lines.fits(room.lines)) {
      return shortage_of(room, ErrorCode::kFlowControlDeadlock, wire::Reason::kRingArguments, lines.used() - lines.wasted() + room.lines,
                         lines.capacity());
    }
    const RingCursor& heap = rings_[room.ring].heap.cursor();
    return shortage_of(room, ErrorCode::kHeapRingDeadlock, wire::Reason::kRingHeap,
                       heap_bytes(heap.used() - heap.wasted() + room.heap_units), heap_bytes(heap.capacity()));
  }

  // ---- what would have been enough

  Frontier frontier(uint32_t ring) const {
    return {tasks_.at(ring).head(), rings_[ring].asked_lines, rings_[ring].heap.cursor().reserved()};
  }
  // A scope ends that held everything in the ring since `start`.
  void note_held(uint32_t ring, const Frontier& start) {
    const Frontier now = frontier(ring);
    Frontier& held = rings_[ring].most_held;
    held.tasks = std::max(held.tasks, now.tasks - start.tasks);
    held.lines = std::max(held.lines, now.lines - start.lines);
    held.heap_units = std::max(held.heap_units, now.heap_units - start.heap_units);
  }

  // Without the edges, which lie elsewhere.
  wire::RingUse use(uint32_t index) const {
    const Ring& ring = rings_[index];
    const TaskRing& tasks = tasks_.at(index);
    const RingCursor& lines = ring.arguments.cursor();
    const RingCursor& heap = ring.heap.cursor();
    wire::RingUse use = {};
    use.tasks = {tasks.peak(), tasks.usable(), std::bit_ceil(std::max<uint64_t>(ring.most_held.tasks + 1, kMinTaskWindow))};
    // A ring's end may be skipped for want of one unit of the largest reservation.
    const uint64_t enough_lines = ring.most_held.lines + ring.largest_lines;
    use.argument_lines = {lines.peak(), lines.capacity(), std::max<uint64_t>(enough_lines, kMinArgumentLines)};
    const uint64_t skip = ring.most_held.tasks > 1 && heap.largest() != 0 ? heap.largest() - 1 : 0;
    use.heap_bytes = {heap_bytes(heap.peak()), heap_bytes(heap.capacity()),
                      heap_bytes(std::max(ring.most_held.heap_units, heap.largest()) + skip)};
    return use;
  }

  const TaskRings& tasks() const { return tasks_; }
  const HeapRing& heap(uint32_t ring) const { return rings_[ring].heap; }

 private:
  struct Ring {
    ArgumentRing arguments;
    HeapRing heap;
    Frontier most_held = {};
    uint64_t asked_lines = 0;  // over all tasks
    uint32_t largest_lines = 0;
  };

  static constexpr uint64_t heap_bytes(uint64_t units) { return units * kBufferAlignment; }
  static Refusal shortage_of(const Room& room, ErrorCode code, wire::Reason reason, uint64_t needed, uint64_t available) {
    return {.code = code, .reason = reason, .needed = needed, .available = available, .ring = room.ring};
  }

  TaskRings tasks_;
  Ring rings_[kTaskRings];
  TaskRecord* records_ = nullptr;
};

}  // namespace taskmill::graph
