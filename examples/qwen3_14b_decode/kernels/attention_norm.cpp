// The residual stream after attention, and its RMSNorm as the operand of the MLP.
// Arguments: x bfloat16 [16][k], o float32 tiles [k / columns][16][columns], weight bfloat16 [k]; float32 residual [16][k] out,
// float32 normalised [16][k] out, bfloat16 operand out.
#include <taskmill/kernel.h>

#include "rms_norm.h"

extern "C" void kernel_entry(int64_t* args) {
  const uint16_t* x = taskmill::data<uint16_t>(args, 0);
  const float* o = taskmill::data<float>(args, 1);
  const uint16_t* weight = taskmill::data<uint16_t>(args, 2);
  const uint32_t k = taskmill::tensor(args, 0).shapes[1], columns = taskmill::tensor(args, 1).shapes[2];
  for (uint32_t row = 0; row < qwen3::kRows; ++row) {
    float* residual = taskmill::data<float>(args, 3) + row * k;
    float* normalised = taskmill::data<float>(args, 4) + row * k;
    for (uint32_t i = 0; i < k; ++i) {
      residual[i] = examples::widen(x[row * k + i]) + o[((i / columns) * qwen3::kRows + row) * columns + i % columns];
    }
    qwen3::rms_norm(residual, weight, k, normalised);
    qwen3::put_operand_row(normalised, row, k, taskmill::data<uint16_t>(args, 5));
  }
}
