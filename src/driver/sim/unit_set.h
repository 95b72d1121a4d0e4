// A set of small numbers with a cheap "the n-th of them".
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace taskmill::sim {

class UnitSet {
 public:
  static constexpr size_t kCapacity = 192;

  void set(size_t i) { words_[i >> 6] |= uint64_t{1} << (i & 63); }
  void clear(size_t i) { words_[i >> 6] &= ~(uint64_t{1} << (i & 63)); }
  size_t count() const {
    size_t sum = 0;
    for (const uint64_t word : words_) sum += static_cast<size_t>(std::popcount(word));
    return sum;
  }
  // REQUIRES: n < count().
  size_t nth(size_t n) const {
    size_t base = 0;
    for (uint64_t word : words_) {
      const auto here = static_cast<size_t>(std::popcount(word));
      if (n >= here) {
        n -= here;
        base += 64;
        continue;
      }
      for (; n > 0; --n) word &= word - 1;
      return base + static_cast<size_t>(std::countr_zero(word));
    }
    return kCapacity;
  }

 private:
  uint64_t words_[kCapacity / 64] = {};
};

}  // namespace taskmill::sim
