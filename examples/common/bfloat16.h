// bfloat16 in kernels: rounding, widening, and sums of products of pairs, for which some CPUs have an instruction.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

// Vectors are passed between inline functions only, so no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace examples {

// To nearest, ties to even; a nan stays a nan.
inline uint16_t round_to_bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float widen(uint16_t bits) {
  const uint32_t word = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

constexpr uint32_t kLanes = 16;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Pairs = uint32_t __attribute__((vector_size(4 * kLanes)));  // two bfloat16 per lane, the first in the lower half

// 2 · kLanes elements.
inline Pairs load_pairs(const uint16_t* elements) {
  Pairs pairs;
  std::memcpy(&pairs, elements, sizeof pairs);
  return pairs;
}

// The same two elements in every lane.
inline Pairs repeat_pair(const uint16_t* elements) {
  uint32_t pair;
  std::memcpy(&pair, elements, sizeof pair);
  return Pairs{} + pair;
}

// One element of every lane's pair as float32: a bfloat16 is the upper half of one.
inline Floats widen_first(const Pairs& pairs) { return (Floats)(pairs << 16); }
inline Floats widen_second(const Pairs& pairs) { return (Floats)(pairs & 0xffff0000u); }

// In each lane, sums + a.first · b.first + a.second · b.second.
inline Floats add_products(const Floats& sums, const Pairs& a, const Pairs& b) {
#ifdef __AVX512BF16__
  return (Floats)_mm512_dpbf16_ps((__m512)sums, (__m512bh)a, (__m512bh)b);
#else
  return sums + widen_first(a) * widen_first(b) + widen_second(a) * widen_second(b);
#endif
}

}  // namespace examples
