// The ring of task slots: a task's slot is its position modulo the window. One slot stays free (contract 1).
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/task_slot.h"

namespace taskmill::graph {

class TaskRing {
 public:
  // REQUIRES: window is a power of two.
  void init(uint32_t window) {
    *this = {};
    mask_ = window - 1;
  }

  bool full() const { return used() == usable(); }
  // REQUIRES: !full(). The new task's local id.
  TaskRef allocate() { return static_cast<TaskRef>(head_++); }
  // Retired → free, the oldest task. REQUIRES: used() > 0; note_peak() since the newest task.
  void release() { ++tail_; }
  void note_peak() { peak_ = peak(); }

  uint32_t slot(TaskRef task) const { return task & mask_; }
  TaskRef oldest() const { return static_cast<TaskRef>(tail_); }
  // Allocated and not retired? An id that is 2³² tasks old may be taken for a live one; the edge it then gives is to an
  // earlier task, so it costs time only.
  bool live(TaskRef task) const { return static_cast<TaskRef>(task - oldest()) < used(); }

  uint64_t head() const { return head_; }
  uint32_t used() const { return static_cast<uint32_t>(head_ - tail_); }
  uint32_t usable() const { return mask_; }
  uint32_t window() const { return mask_ + 1; }
  uint32_t peak() const { return std::max(peak_, used()); }

 private:
  uint64_t head_ = 0;
  uint64_t tail_ = 0;
  uint32_t mask_ = 0;
  uint32_t peak_ = 0;
};

}  // namespace taskmill::graph
