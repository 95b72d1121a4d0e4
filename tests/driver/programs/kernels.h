// What the toy kernels share with the tests that run them: the block that Plan::user points to.
#pragma once

#include <cstdint>

namespace taskmill::toy {

constexpr uint32_t kMaxThreads = 256;

struct Shared {
  alignas(64) uint32_t counter;  // kernels that ran
  alignas(64) uint32_t started;  // kernels that began
  alignas(64) uint32_t gate;     // kernels at the gate go on when it is not 0
  alignas(64) uint32_t rung;     // of the ladder
  uint32_t rungs;
  uint32_t amount;                // of work per kernel
  uint32_t migrations;            // kernels whose thread changed between begin and end
  uint64_t threads[kMaxThreads];  // of the job with that number
};

}  // namespace taskmill::toy
