#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  float* tile = taskmill::data<float>(args, 0);
  for (uint32_t i = 0; i < 16; ++i) tile[i] += 1.0F;
}
