// scores -> weights exp(score - largest), in place, and of each row its largest score and the sum of its weights.
// Arguments: scores float32 [heads, group, tokens]; statistics float32 [1, heads, group, 2].
#include <taskmill/kernel.h>

#include <algorithm>
#include <cmath>

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& scores = taskmill::tensor(args, 0);
  const uint32_t rows = scores.shapes[0] * scores.shapes[1], tokens = scores.shapes[2];
  float* weights = taskmill::data<float>(args, 0);
  float* statistics = taskmill::data<float>(args, 1);
  for (uint32_t row = 0; row < rows; ++row, weights += tokens, statistics += 2) {
    const float largest = *std::max_element(weights, weights + tokens);
    float sum = 0;
    for (uint32_t token = 0; token < tokens; ++token) {
      weights[token] = std::exp(weights[token] - largest);
      sum += weights[token];
    }
    statistics[0] = largest;
    statistics[1] = sum;
  }
}
