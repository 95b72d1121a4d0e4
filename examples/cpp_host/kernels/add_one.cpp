#include <taskmill/kernel.h>

// y = x + 1
extern "C" void kernel_entry(int64_t* args) {
  const float* x = taskmill::data<float>(args, 0);
  float* y = taskmill::data<float>(args, 1);
  const uint64_t count = taskmill::tensor(args, 0).numel();
  for (uint64_t i = 0; i < count; ++i) y[i] = x[i] + 1;
}
