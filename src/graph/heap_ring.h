// The ring that output buffers come from, counted in units of their alignment. All buffers of a task lie side by side.
#pragma once

#include <cstdint>

#include "base/align.h"
#include "graph/ring_cursor.h"

namespace taskmill::graph {

constexpr uint64_t heap_units(uint64_t bytes) { return bytes / kBufferAlignment + (bytes % kBufferAlignment != 0); }

class HeapRing {
 public:
  struct Buffers {
    uint64_t address;
    uint32_t taken;  // units to release
  };

  // REQUIRES: bytes is a multiple of kBufferAlignment, at most kMaxHeapBytes.
  void init(uint64_t address, uint64_t bytes) {
    cursor_.init(bytes / kBufferAlignment);
    address_ = address;
  }
  // REQUIRES: cursor().fits(units).
  Buffers reserve(uint64_t units) {
    const RingCursor::Reservation reservation = cursor_.reserve(units);
    return {address_ + reservation.offset * kBufferAlignment, static_cast<uint32_t>(reservation.taken)};
  }
  // The ring position, modulo 2³², of the unit that holds this address. False: it is in no buffer.
  bool position_of(uint64_t address, uint32_t* position) const {
    uint64_t wide = 0;
    if (address < address_ || !cursor_.position_at((address - address_) / kBufferAlignment, &wide)) return false;
    *position = static_cast<uint32_t>(wide);
    return true;
  }
  void release(uint32_t taken) { cursor_.release(taken); }
  void note_peak() { cursor_.note_peak(); }
  const RingCursor& cursor() const { return cursor_; }

 private:
  RingCursor cursor_;
  uint64_t address_ = 0;
};

}  // namespace taskmill::graph
