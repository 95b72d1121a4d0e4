// The rings of task slots: a task's slot is its position in its ring, modulo the window. One slot of each ring stays free
// (contract 1).
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/task_slot.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

class TaskRing {
 public:
  // REQUIRES: window is a power of two.
  void init(uint32_t ring, uint32_t first_slot, uint32_t window) {
    *this = {};
    ring_ = ring;
    first_slot_ = first_slot;
    mask_ = window - 1;
  }

  bool full() const { return used() == usable(); }
  // REQUIRES: !full().
  TaskRef allocate() { return make_task_ref(ring_, head_++); }
  // Retired → free, the oldest task. REQUIRES: used() > 0; note_peak() since the newest task.
  void release() { ++tail_; }
  void note_peak() { peak_ = peak(); }

  // ---- of a task of this ring
  uint32_t slot(TaskRef task) const { return first_slot_ + (task & mask_); }
  // Allocated and not retired?
  bool live(TaskRef task) const { return ((task - oldest()) & kPositionMask) < used(); }

  uint32_t slot_at(uint64_t position) const { return first_slot_ + (static_cast<uint32_t>(position) & mask_); }
  TaskRef oldest() const { return make_task_ref(ring_, tail_); }
  uint64_t head() const { return head_; }
  uint64_t tail() const { return tail_; }
  uint32_t used() const { return static_cast<uint32_t>(head_ - tail_); }
  uint32_t usable() const { return mask_; }
  uint32_t peak() const { return std::max(peak_, used()); }

 private:
  static constexpr uint32_t kPositionMask = (1u << kPositionBits) - 1;

  uint64_t head_ = 0;
  uint64_t tail_ = 0;
  uint32_t ring_ = 0;
  uint32_t first_slot_ = 0;
  uint32_t mask_ = 0;
  uint32_t peak_ = 0;
};

class TaskRings {
 public:
  TaskRing& at(uint32_t ring) { return rings_[ring]; }
  const TaskRing& at(uint32_t ring) const { return rings_[ring]; }

  uint32_t slot(TaskRef task) const { return rings_[ring_of(task)].slot(task); }
  bool live(TaskRef task) const { return rings_[ring_of(task)].live(task); }

  enum class Known : uint8_t { kNever, kRetired, kLive };
  // What a public id names; *task if it lives.
  Known find(uint64_t id, TaskRef* task) const {
    const uint64_t ring = id >> 32;
    if (ring >= wire::kRings) return Known::kNever;
    const TaskRing& tasks = rings_[ring];
    const uint32_t behind = static_cast<uint32_t>(tasks.head()) - static_cast<uint32_t>(id);
    // An id is 2³² tasks old at most, or was never given out: half of the numbers are taken for each.
    if (behind == 0 || behind > tasks.head() || behind > 0x8000'0000u) return Known::kNever;
    if (behind > tasks.used()) return Known::kRetired;
    *task = make_task_ref(static_cast<uint32_t>(ring), tasks.head() - behind);
    return Known::kLive;
  }

 private:
  TaskRing rings_[kTaskRings];
};

}  // namespace taskmill::graph
