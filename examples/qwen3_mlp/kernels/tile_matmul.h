// The matrix product that gate, up and down tiles share: 16 rows of bfloat16 activations times one packed tile of
// weights, accumulated in float32.
//
// Both operands are interleaved by pairs of k, the shape of a bfloat16 dot-product instruction: activations are
// [k / 2][16 rows][2], weights are [columns / 16][k / 2][16 columns][2], so one step of the inner loop reads one cache
// line of each.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

namespace qwen3 {

constexpr uint32_t kRows = 16;
constexpr uint32_t kGroupColumns = 16;

#ifdef __AVX512BF16__

// The 16 accumulators, one per row, stay in registers for the whole of k.
inline void multiply_group(const uint16_t* x, const uint16_t* weights, uint32_t k, float* out, uint32_t out_stride) {
  constexpr uint32_t kPrefetchElements = 16 * 1024 / sizeof(uint16_t);
  __m512 sums[kRows];
  for (auto& sum : sums) sum = _mm512_setzero_ps();
  for (uint32_t pair = 0; pair < k / 2; ++pair, x += 2 * kRows, weights += 2 * kGroupColumns) {
    _mm_prefetch(reinterpret_cast<const char*>(weights + kPrefetchElements), _MM_HINT_T0);
    const auto columns = (__m512bh)_mm512_loadu_si512(weights);
#pragma GCC unroll 16
    for (uint32_t row = 0; row < kRows; ++row) {
      int32_t two;
      std::memcpy(&two, x + 2 * row, sizeof two);
      sums[row] = _mm512_dpbf16_ps(sums[row], columns, (__m512bh)_mm512_set1_epi32(two));
    }
  }
  for (uint32_t row = 0; row < kRows; ++row) _mm512_storeu_ps(out + row * out_stride, sums[row]);
}

#else

using Floats = float __attribute__((vector_size(4 * kGroupColumns)));
using Words = uint32_t __attribute__((vector_size(4 * kGroupColumns)));

inline float widen(uint16_t bits) {
  const uint32_t word = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// A bfloat16 is the upper half of a float32, so a shift or a mask widens one element of every pair.
inline void multiply_group(const uint16_t* x, const uint16_t* weights, uint32_t k, float* out, uint32_t out_stride) {
  Floats sums[kRows] = {};
  for (uint32_t pair = 0; pair < k / 2; ++pair, x += 2 * kRows, weights += 2 * kGroupColumns) {
    Words words;
    std::memcpy(&words, weights, sizeof words);
    const auto even = (Floats)(words << 16), odd = (Floats)(words & 0xffff0000u);
#pragma GCC unroll 16
    for (uint32_t row = 0; row < kRows; ++row) sums[row] += widen(x[2 * row]) * even + widen(x[2 * row + 1]) * odd;
  }
  for (uint32_t row = 0; row < kRows; ++row) std::memcpy(out + row * out_stride, &sums[row], sizeof sums[row]);
}

#endif

// out[16, columns] = x · weights. REQUIRES: k even, columns a multiple of 16.
inline void multiply_tile(const uint16_t* x, const uint16_t* weights, uint32_t k, uint32_t columns, float* out) {
  for (uint32_t column = 0; column < columns; column += kGroupColumns) {
    multiply_group(x, weights + uint64_t{column} * k, k, out + column, columns);
  }
}

}  // namespace qwen3
