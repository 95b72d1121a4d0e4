// The matrix product that gate, up and down tiles share: 16 rows of bfloat16 activations times one packed tile of
// weights, accumulated in float32.
//
// Both operands are interleaved by pairs of k, the shape of a bfloat16 dot-product instruction: activations are
// [k / 2][16 rows][2], weights are [columns / 16][k / 2][16 columns][2], so one step of the inner loop reads one cache
// line of each.
#pragma once

#include "../../common/bfloat16.h"

namespace qwen3 {

constexpr uint32_t kRows = 16;
constexpr uint32_t kGroupColumns = examples::kLanes;

// The 16 accumulators, one per row, stay in registers for the whole of k.
inline void multiply_group(const uint16_t* x, const uint16_t* weights, uint32_t k, float* out, uint32_t out_stride) {
  constexpr uint32_t kPrefetchElements = 16 * 1024 / sizeof(uint16_t);
  examples::Floats sums[kRows] = {};
  for (uint32_t pair = 0; pair < k / 2; ++pair, x += 2 * kRows, weights += 2 * kGroupColumns) {
    __builtin_prefetch(weights + kPrefetchElements);
    const examples::Pairs columns = examples::load_pairs(weights);
#pragma GCC unroll 16
    for (uint32_t row = 0; row < kRows; ++row) {
      sums[row] = examples::add_products(sums[row], columns, examples::repeat_pair(x + 2 * row));
    }
  }
  for (uint32_t row = 0; row < kRows; ++row) std::memcpy(out + row * out_stride, &sums[row], sizeof sums[row]);
}

// out[16, columns] = x · weights. REQUIRES: k even, columns a multiple of 16.
inline void multiply_tile(const uint16_t* x, const uint16_t* weights, uint32_t k, uint32_t columns, float* out) {
  for (uint32_t column = 0; column < columns; column += kGroupColumns) {
    multiply_group(x, weights + uint64_t{column} * k, k, out + column, columns);
  }
}

}  // namespace qwen3
