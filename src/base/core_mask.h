// A set of cores of one chip.
#pragma once

#include <bit>
#include <cstdint>

namespace taskmill {

class CoreMask {
 public:
  static constexpr uint32_t kCapacity = 128;

  constexpr bool test(uint32_t core) const { return (words_[core >> 6] >> (core & 63)) & 1; }
  constexpr void set(uint32_t core) { words_[core >> 6] |= uint64_t{1} << (core & 63); }
  constexpr void clear(uint32_t core) { words_[core >> 6] &= ~(uint64_t{1} << (core & 63)); }
  constexpr bool empty() const { return (words_[0] | words_[1]) == 0; }
  constexpr uint32_t count() const { return static_cast<uint32_t>(std::popcount(words_[0]) + std::popcount(words_[1])); }
  // REQUIRES: !empty().
  constexpr uint32_t first() const {
    return static_cast<uint32_t>(words_[0] != 0 ? std::countr_zero(words_[0]) : 64 + std::countr_zero(words_[1]));
  }
  constexpr uint32_t take_first() {
    const uint32_t core = first();
    clear(core);
    return core;
  }
  // Cores [begin, begin + count).
  static constexpr CoreMask range(uint32_t begin, uint32_t count) {
    CoreMask mask;
    for (uint32_t core = begin; core < begin + count; ++core) mask.set(core);
    return mask;
  }
  constexpr CoreMask& operator|=(const CoreMask& other) {
    words_[0] |= other.words_[0];
    words_[1] |= other.words_[1];
    return *this;
  }
  constexpr CoreMask& operator&=(const CoreMask& other) {
    words_[0] &= other.words_[0];
    words_[1] &= other.words_[1];
    return *this;
  }
  friend constexpr CoreMask operator|(CoreMask a, const CoreMask& b) { return a |= b; }
  friend constexpr CoreMask operator&(CoreMask a, const CoreMask& b) { return a &= b; }
  friend constexpr CoreMask operator~(CoreMask a) {
    a.words_[0] = ~a.words_[0];
    a.words_[1] = ~a.words_[1];
    return a;
  }
  friend constexpr bool operator==(const CoreMask&, const CoreMask&) = default;

  constexpr uint64_t word(uint32_t index) const { return words_[index]; }
  constexpr void set_word(uint32_t index, uint64_t value) { words_[index] = value; }

 private:
  uint64_t words_[2] = {};
};

}  // namespace taskmill
