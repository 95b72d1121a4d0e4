#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) { taskmill::data<float>(args, 0)[0] += 1.0F; }
