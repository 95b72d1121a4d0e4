// A proven deadlock, held back until the scope concerned ends, while the submits that come after it are counted: so the
// error says how much room the scope needs at least, not only that one more was too many.
#pragma once

#include <cstdint>

#include "graph/heap_ring.h"
#include "graph/task_check.h"
#include "taskmill/orchestration.h"
#include "wire/run_error.h"

namespace taskmill::graph {

class Shortfall {
 public:
  bool active() const { return active_; }
  // The scope at this place of the stack must end before anything can be given back.
  uint32_t scope() const { return scope_; }

  void start(const wire::RunError& error, uint32_t scope) {
    error_ = error;
    scope_ = scope;
    active_ = true;
  }

  // One more task for `ring`. What it is about to name may not exist: only its own memory counts, as little as it can be.
  void count(const TaskSpec& spec, uint32_t ring) {
    if (ring != error_.ring) return;
    switch (error_.reason) {
      case wire::Reason::kRingSlots:
        needed_more(1);
        break;
      case wire::Reason::kRingArguments:
        needed_more(least_lines(spec));
        break;
      default:
        needed_more(least_heap_bytes(spec));
    }
  }

  // A ring that was too small needs one unit more at least, however its reservations lay.
  wire::RunError take() {
    active_ = false;
    const uint64_t unit = error_.reason == wire::Reason::kRingHeap ? kBufferAlignment : 1;
    if (error_.needed < error_.available + unit) error_.needed = error_.available + unit;
    return error_;
  }

 private:
  void needed_more(uint64_t amount) {
    if (!checked_add(error_.needed, amount, &error_.needed)) error_.needed = ~uint64_t{0};
  }

  static uint32_t least_lines(const TaskSpec& spec) {
    if (spec.tensor_count > kMaxTaskTensors || spec.scalar_count > kMaxTaskScalars) return 0;
    uint32_t lines = argument_block_lines(spec.tensor_count, spec.scalar_count, 0);
    for (uint32_t i = 0; i < spec.tensor_count; ++i) lines += spec.tensors[i].mode == ArgumentMode::kOutput ? 2 : 0;
    return lines;
  }
  static uint64_t least_heap_bytes(const TaskSpec& spec) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < spec.tensor_count && i < kMaxTaskTensors; ++i) {
      if (spec.tensors[i].mode != ArgumentMode::kOutput || spec.tensors[i].spec->ndims > kMaxDims) continue;
      uint64_t bytes = 0;
      if (buffer_bytes(*spec.tensors[i].spec, &bytes) && bytes <= kMaxHeapBytes) sum += heap_units(bytes) * kBufferAlignment;
    }
    return sum;
  }

  bool active_ = false;
  uint32_t scope_ = 0;
  wire::RunError error_ = {};
};

}  // namespace taskmill::graph
