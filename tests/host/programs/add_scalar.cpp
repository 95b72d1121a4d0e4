// out = in + scalar
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  const float* in = taskmill::data<float>(args, 0);
  float* out = taskmill::data<float>(args, 1);
  const auto addend = taskmill::scalar<float>(args, 2);
  const uint64_t count = taskmill::tensor(args, 1).numel();
  for (uint64_t i = 0; i < count; ++i) out[i] = in[i] + addend;
}
