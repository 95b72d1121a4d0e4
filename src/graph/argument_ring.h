// The ring of 64-byte lines for what a task carries: argument block, descriptors, records of its buffers and accesses.
#pragma once

#include <cstdint>

#include "graph/ring_cursor.h"

namespace taskmill::graph {

class ArgumentRing {
 public:
  struct Lines {
    uint32_t first;
    uint32_t taken;  // to release
  };

  void init(uint32_t first_line, uint32_t lines) {
    cursor_.init(lines);
    first_line_ = first_line;
  }
  // REQUIRES: cursor().fits(lines).
  Lines reserve(uint32_t lines) {
    const RingCursor::Reservation reservation = cursor_.reserve(lines);
    return {first_line_ + static_cast<uint32_t>(reservation.offset), static_cast<uint32_t>(reservation.taken)};
  }
  void trim(uint32_t lines) { cursor_.trim(lines); }
  void release(uint32_t taken) { cursor_.release(taken); }
  void note_peak() { cursor_.note_peak(); }
  const RingCursor& cursor() const { return cursor_; }

 private:
  RingCursor cursor_;
  uint32_t first_line_ = 0;
};

}  // namespace taskmill::graph
