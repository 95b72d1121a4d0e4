// Tells the CPU that this thread spins.
#pragma once

namespace taskmill::sim {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace taskmill::sim
