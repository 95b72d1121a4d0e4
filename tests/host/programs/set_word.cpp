// Sets the word at the address in its scalar.
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  __atomic_store_n(reinterpret_cast<uint32_t*>(taskmill::scalar<uint64_t>(args, 0)), 1u, __ATOMIC_RELEASE);
}
