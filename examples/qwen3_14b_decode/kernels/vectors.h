// Vectors of 16 floats, and what attention does with them.
#pragma once

#include <cstdint>
#include <cstring>

namespace qwen3 {

using Floats = float __attribute__((vector_size(64)));
using Ints = int32_t __attribute__((vector_size(64)));
using Words = uint32_t __attribute__((vector_size(64)));
using Halves = uint16_t __attribute__((vector_size(32)));

template <class Vector>
[[gnu::always_inline]] inline void load(const void* from, Vector* to) {
  std::memcpy(to, from, sizeof *to);
}
[[gnu::always_inline]] inline void store(const Floats& from, float* to) { std::memcpy(to, &from, sizeof from); }

// A bfloat16 is the upper half of a float.
[[gnu::always_inline]] inline void widen(const uint16_t* from, Floats* to) {
  Halves halves;
  load(from, &halves);
  *to = (Floats)(__builtin_convertvector(halves, Words) << 16);
}

// e^x for x ≤ 0, within 2 units in the last place; 0 below -87. x = n ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of e^r.
[[gnu::always_inline]] inline void exp_of_nonpositive(const Floats& x, Floats* out) {
  constexpr float kLog2E = 1.44269504088896341F, kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F, kRound = 12582912.0F;
  const Floats bounded = x < -87.0F ? Floats{} - 87.0F : x;
  const Floats n = (bounded * kLog2E + kRound) - kRound;
  const Floats r = (bounded - n * kLn2High) - n * kLn2Low;
  Floats series = Floats{} + 1.0F / 5040;
  for (const float coefficient : {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) series = series * r + coefficient;
  const Ints power = (__builtin_convertvector(n, Ints) + 127) << 23;
  *out = x < -87.0F ? Floats{} : series * (Floats)power;
}

}  // namespace qwen3
