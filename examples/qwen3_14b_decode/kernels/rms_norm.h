// RMSNorm of one row: out = x / sqrt(mean(x²) + ε) · weight, in float32 with the sum in float64. Zhang and Sennrich, 2019.
#pragma once

#include <cmath>
#include <cstdint>

#include "../../common/bfloat16.h"
#include "../../qwen3_mlp/kernels/tile_matmul.h"

namespace qwen3 {

constexpr float kEpsilon = 1e-6F;

// `out` may be `x`.
inline void rms_norm(const float* x, const uint16_t* weight, uint32_t count, float* out) {
  double squares = 0;
  for (uint32_t i = 0; i < count; ++i) squares += double{x[i]} * x[i];
  const auto scale = static_cast<float>(1 / std::sqrt(squares / count + kEpsilon));
  for (uint32_t i = 0; i < count; ++i) out[i] = x[i] * scale * examples::widen(weight[i]);
}

// One row into the operand of tile_matmul.h, bfloat16 [count / 2][16 rows][2].
inline void put_operand_row(const float* values, uint32_t row, uint32_t count, uint16_t* operand) {
  for (uint32_t i = 0; i < count; ++i) operand[2 * ((i / 2) * kRows + row) + i % 2] = examples::round_to_bfloat16(values[i]);
}

}  // namespace qwen3
