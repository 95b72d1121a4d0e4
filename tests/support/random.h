// A seeded generator that gives the same numbers on every target (SplitMix64, public domain, Sebastiano Vigna).
#pragma once

#include <cstdint>

namespace taskmill::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15u;
    return mix(state_);
  }
  // 0 to bound − 1. REQUIRES: bound > 0.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(((next() >> 32) * bound) >> 32); }
  // first to last, both included.
  uint32_t between(uint32_t first, uint32_t last) { return first + below(last - first + 1); }
  bool one_in(uint32_t n) { return below(n) == 0; }

  static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    value = (value ^ (value >> 27)) * 0x94D0'49BB'1331'11EBu;
    return value ^ (value >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace taskmill::test
