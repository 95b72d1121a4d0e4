// The exponential function on vectors.
#pragma once

#include "../../common/bfloat16.h"

namespace qwen3 {

// e^x for x ≤ 0, within 2 units in the last place; 0 below -87. x = n ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of e^r.
inline examples::Floats exp_of_nonpositive(const examples::Floats& x) {
  using examples::Floats;
  using Ints = int32_t __attribute__((vector_size(sizeof(Floats))));
  constexpr float kLog2E = 1.44269504088896341F, kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F, kRound = 12582912.0F;
  const Floats bounded = x < -87.0F ? Floats{} - 87.0F : x;
  const Floats n = (bounded * kLog2E + kRound) - kRound;
  const Floats r = (bounded - n * kLn2High) - n * kLn2Low;
  Floats series = Floats{} + 1.0F / 5040;
  for (const float coefficient : {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) series = series * r + coefficient;
  const Ints power = (__builtin_convertvector(n, Ints) + 127) << 23;
  return x < -87.0F ? Floats{} : series * (Floats)power;
}

}  // namespace qwen3
