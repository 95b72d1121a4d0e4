// out = a * b
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  const float* a = taskmill::data<float>(args, 0);
  const float* b = taskmill::data<float>(args, 1);
  float* out = taskmill::data<float>(args, 2);
  const uint64_t count = taskmill::tensor(args, 2).numel();
  for (uint64_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}
