// Positions of a ring whose reservations lie side by side: one that does not fit before the ring's end skips it. Positions
// are 64-bit and never wrap; the offset of the head is kept beside it, so that nothing is divided.
#pragma once

#include <algorithm>
#include <cstdint>

namespace taskmill::graph {

class RingCursor {
 public:
  void init(uint64_t capacity) {
    *this = {};
    capacity_ = capacity;
  }

  bool fits(uint64_t units) const { return units == 0 || units + skip_before(units) <= capacity_ - used(); }

  struct Reservation {
    uint64_t offset;  // of the first unit
    uint64_t taken;   // units to release, the skipped end included
  };
  // REQUIRES: fits(units).
  Reservation reserve(uint64_t units) {
    if (units == 0) return {0, 0};
    const uint64_t skipped = skip_before(units);
    if (head_offset_ + units > capacity_) {
      head_offset_ = 0;
      skipped_ = skipped;
    }
    const Reservation reservation = {head_offset_, units + skipped};
    head_ += reservation.taken;
    head_offset_ += units;
    reserved_ += units;
    largest_ = std::max(largest_, units);
    return reservation;
  }
  // Gives back the last `units` of the newest reservation.
  void trim(uint64_t units) {
    head_ -= units;
    head_offset_ -= units;
  }
  // Gives back the oldest reservation. REQUIRES: note_peak() since the newest reservation.
  void release(uint64_t taken) { tail_ += taken; }
  // Used only grows between releases, so looking before them is enough.
  void note_peak() { peak_ = peak(); }

  uint64_t capacity() const { return capacity_; }
  uint64_t head() const { return head_; }
  uint64_t used() const { return head_ - tail_; }
  uint64_t peak() const { return std::max(peak_, used()); }
  // Units ever reserved; skipped ones are not counted, trimmed ones are.
  uint64_t reserved() const { return reserved_; }
  // The largest reservation so far.
  uint64_t largest() const { return largest_; }
  // Units of used() that were skipped at the ring's end: at most one skip is alive, and only while what is used reaches back
  // over offset 0.
  uint64_t wasted() const { return used() > head_offset_ ? skipped_ : 0; }

  // The position of the unit at `offset` in a reservation that is still out. False: none is.
  bool position_at(uint64_t offset, uint64_t* position) const {
    const uint64_t behind = offset < head_offset_ ? head_offset_ - offset : capacity_ - offset + head_offset_;
    if (offset >= capacity_ || behind > used()) return false;
    *position = head_ - behind;
    return true;
  }

 private:
  // An empty ring starts over at offset 0, so that it takes whatever is not larger than itself.
  uint64_t skip_before(uint64_t units) const { return head_offset_ + units <= capacity_ || used() == 0 ? 0 : capacity_ - head_offset_; }

  uint64_t capacity_ = 0;
  uint64_t head_ = 0;
  uint64_t tail_ = 0;
  uint64_t head_offset_ = 0;  // may equal capacity_: the next reservation wraps
  uint64_t skipped_ = 0;      // by the newest wrap
  uint64_t peak_ = 0;
  uint64_t reserved_ = 0;
  uint64_t largest_ = 0;
};

}  // namespace taskmill::graph
