// One tile of y = hidden · w_down: float32 [16][columns], and the same rounded to bfloat16.
// Arguments: hidden in the operand layout of tile_matmul.h (all tiles), packed w, float32 out, bfloat16 out.
#include <taskmill/kernel.h>

#include "tile_matmul.h"

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& weights = taskmill::tensor(args, 1);
  const uint32_t columns = qwen3::kGroupColumns * weights.shapes[1];
  float* sums = taskmill::data<float>(args, 2);
  uint16_t* y = taskmill::data<uint16_t>(args, 3);
  qwen3::multiply_tile(taskmill::data<uint16_t>(args, 0), taskmill::data<uint16_t>(args, 1), 2 * weights.shapes[2], columns, sums);
  for (uint32_t i = 0; i < qwen3::kRows * columns; ++i) y[i] = examples::round_to_bfloat16(sums[i]);
}
