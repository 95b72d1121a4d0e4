// RMSNorm of the layer's input: float32 [16][k], and rounded to the operand of tile_matmul.h.
// Arguments: x bfloat16 [16][k], weight bfloat16 [k], float32 out, bfloat16 operand out.
#include <taskmill/kernel.h>

#include "rms_norm.h"

extern "C" void kernel_entry(int64_t* args) {
  const uint16_t* x = taskmill::data<uint16_t>(args, 0);
  const uint16_t* weight = taskmill::data<uint16_t>(args, 1);
  const uint32_t k = taskmill::tensor(args, 0).shapes[1];
  for (uint32_t row = 0; row < qwen3::kRows; ++row) {
    float* out = taskmill::data<float>(args, 2) + row * k;
    for (uint32_t i = 0; i < k; ++i) out[i] = examples::widen(x[row * k + i]);
    qwen3::rms_norm(out, weight, k, out);
    qwen3::put_operand_row(out, row, k, taskmill::data<uint16_t>(args, 3));
  }
}
