// Waits for a word that nobody writes, letting others run.
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  const uint32_t* word = taskmill::data<uint32_t>(args, 0);
  taskmill::wait_until(args, word, [](uint32_t value) { return value == 0xFFFF'FFFFu; });
}
