// Some columns of the layer's output: y = residual + hidden · w_down.
// Arguments: hidden in the operand layout of tile_matmul.h (all tiles), packed w [1][columns / 16][k / 2][16][2], the columns of
// the residual, float32 [16][columns] in rows of their own stride; out: the product float32 [1][16][columns], and the columns
// of y, bfloat16, likewise.
#include <taskmill/kernel.h>

#include "rms_norm.h"

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor &weights = taskmill::tensor(args, 1), &residual = taskmill::tensor(args, 2),
                                   &y = taskmill::tensor(args, 4);
  const uint32_t columns = y.shapes[1];
  float* product = taskmill::data<float>(args, 3);
  qwen3::multiply_tile(taskmill::data<uint16_t>(args, 0), taskmill::data<uint16_t>(args, 1), 2 * weights.shapes[2], columns, product);
  for (uint32_t row = 0; row < qwen3::kRows; ++row) {
    const float* before = taskmill::data<float>(args, 2) + uint64_t{row} * residual.strides[0];
    uint16_t* after = taskmill::data<uint16_t>(args, 4) + uint64_t{row} * y.strides[0];
    for (uint32_t i = 0; i < columns; ++i) after[i] = examples::round_to_bfloat16(before[i] + product[row * columns + i]);
  }
}
