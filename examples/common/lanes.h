// Plain loops that compilers turn into vector instructions without leave to reorder sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace examples {

// e^x for -87 <= x <= 88; what lies below is taken as -87. Within 3e-7 of the value: x = n · ln 2 + r with |r| <= ln 2 / 2, and seven
// terms of the series of e^r. No branch and no call, so loops over it become vector code.
inline float exp_in_range(float x) {
  constexpr float kRound = 12582912.0f;                                // 1.5 · 2^23: adding it rounds to an integer
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // n · high is exact
  x = x < -87.0f ? -87.0f : x;
  const float n = (x * 1.44269504f + kRound) - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  const float series = 1 + r * (1 + r * (1 / 2.0f + r * (1 / 6.0f + r * (1 / 24.0f + r * (1 / 120.0f + r * (1 / 720.0f))))));
  const int32_t bits = (static_cast<int32_t>(n) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return series * power;
}

// join of all values and `start`, in 16 independent chains. REQUIRES: join is associative and commutative, but for rounding, and
// join(start, v) is v.
template <class Join>
float reduce(const float* values, uint32_t count, float start, Join join) {
  constexpr uint32_t kChains = 16;
  float chains[kChains];
  std::fill_n(chains, kChains, start);
  uint32_t i = 0;
  for (; i + kChains <= count; i += kChains) {
    for (uint32_t chain = 0; chain < kChains; ++chain) chains[chain] = join(chains[chain], values[i + chain]);
  }
  for (; i < count; ++i) chains[0] = join(chains[0], values[i]);
  for (uint32_t chain = 1; chain < kChains; ++chain) chains[0] = join(chains[0], chains[chain]);
  return chains[0];
}

}  // namespace examples
