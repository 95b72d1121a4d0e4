// out = the blocks' results as one. The first block's row is the running result, which every further block is merged into:
// both are brought to the larger of their largest scores and added. Arguments: partials float32 [blocks, heads, group, dim];
// statistics float32 [blocks, heads, group, 2], largest score and sum of weights; out bfloat16 [1, heads · group, dim].
#include <taskmill/kernel.h>

#include <algorithm>
#include <cmath>

#include "../../common/bfloat16.h"

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& partials = taskmill::tensor(args, 0);
  const uint32_t blocks = partials.shapes[0], rows = partials.shapes[1] * partials.shapes[2], dim = partials.shapes[3];
  float* result = taskmill::data<float>(args, 0);
  const float* statistics = taskmill::data<float>(args, 1);
  uint16_t* out = taskmill::data<uint16_t>(args, 2);
  for (uint32_t row = 0; row < rows; ++row, result += dim, statistics += 2, out += dim) {
    float largest = statistics[0], sum = statistics[1];
    for (uint32_t block = 1; block < blocks; ++block) {
      const float* next = statistics + 2 * block * rows;
      const float* partial = result + block * rows * dim;
      const float common = std::max(largest, next[0]);
      const float keep = std::exp(largest - common), add = std::exp(next[0] - common);
      for (uint32_t i = 0; i < dim; ++i) result[i] = result[i] * keep + partial[i] * add;
      sum = sum * keep + next[1] * add;
      largest = common;
    }
    for (uint32_t i = 0; i < dim; ++i) out[i] = examples::round_to_bfloat16(result[i] / sum);
  }
}
