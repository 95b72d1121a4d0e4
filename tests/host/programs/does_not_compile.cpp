#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) { args[0] = nowhere; }
