// sum += in
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  float* sum = taskmill::data<float>(args, 0);
  const float* in = taskmill::data<float>(args, 1);
  const uint64_t count = taskmill::tensor(args, 0).numel();
  for (uint64_t i = 0; i < count; ++i) sum[i] += in[i];
}
