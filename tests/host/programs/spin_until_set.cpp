// Spins, without letting others run, until the word at the address in its scalar is set; then tells that it saw it.
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  const auto* word = reinterpret_cast<const uint32_t*>(taskmill::scalar<uint64_t>(args, 1));
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0) {
  }
  *taskmill::data<float>(args, 0) = 1.0f;
}
