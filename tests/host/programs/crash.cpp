// Writes to address 16.
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t*) { *reinterpret_cast<volatile int*>(16) = 1; }
