// scores -> weights exp(score - largest), in place, and of each row its largest score and the sum of its weights.
// Arguments: scores float32 [heads, group, tokens]; statistics float32 [1, heads, group, 2].
#include <taskmill/kernel.h>

#include <limits>

#include "../../common/lanes.h"

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& scores = taskmill::tensor(args, 0);
  const uint32_t rows = scores.shapes[0] * scores.shapes[1], tokens = scores.shapes[2];
  float* weights = taskmill::data<float>(args, 0);
  float* statistics = taskmill::data<float>(args, 1);
  for (uint32_t row = 0; row < rows; ++row, weights += tokens, statistics += 2) {
    const auto larger = [](float a, float b) { return a < b ? b : a; };
    const float largest = examples::reduce(weights, tokens, -std::numeric_limits<float>::infinity(), larger);
    for (uint32_t token = 0; token < tokens; ++token) weights[token] = examples::exp_in_range(weights[token] - largest);
    statistics[0] = largest;
    statistics[1] = examples::reduce(weights, tokens, 0, [](float a, float b) { return a + b; });
  }
}
