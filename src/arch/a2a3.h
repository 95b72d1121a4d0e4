// The a2a3 generation (910B and 910_93).
#pragma once

#include "arch/traits.h"

namespace taskmill::arch {

constexpr ChipTraits kA2a3 = {
    .id = ArchId::kA2a3,
    .name = "a2a3",
    .clusters = 24,
    .aicpu_launch_bound = 6,
    .aicpu_threads = 4,
    .counter_hz = 50'000'000,
    .memory_bytes = uint64_t{64} << 30,
    .dispatch_register = 0xA0,
    .condition_register = 0x4C8,
};

}  // namespace taskmill::arch
