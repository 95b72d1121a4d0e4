// One tile of hidden = silu(gate) · up: float32 [16][columns], and rounded to bfloat16 in the operand layout of
// tile_matmul.h, [columns / 2][16][2]. Arguments: gate, up, float32 out, bfloat16 out.
#include <taskmill/kernel.h>

#include <cmath>

#include "tile_matmul.h"

extern "C" void kernel_entry(int64_t* args) {
  const float* gate = taskmill::data<float>(args, 0);
  const float* up = taskmill::data<float>(args, 1);
  float* hidden = taskmill::data<float>(args, 2);
  uint16_t* rounded = taskmill::data<uint16_t>(args, 3);
  const auto count = static_cast<uint32_t>(taskmill::tensor(args, 2).numel());
  const uint32_t columns = count / qwen3::kRows;
  for (uint32_t i = 0; i < count; ++i) hidden[i] = gate[i] / (1.0f + std::exp(-gate[i])) * up[i];
  for (uint32_t row = 0; row < qwen3::kRows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      const uint32_t place = 2 * ((column / 2) * qwen3::kRows + row) + column % 2;
      rounded[place] = examples::round_to_bfloat16(hidden[row * columns + column]);
    }
  }
}
