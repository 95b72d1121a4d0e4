// The a5 generation (950): two dies of 18 clusters.
#pragma once

#include "arch/traits.h"

namespace taskmill::arch {

constexpr ChipTraits kA5 = {
    .id = ArchId::kA5,
    .name = "a5",
    .clusters = 36,
    .aicpu_launch_bound = 14,
    .aicpu_threads = 5,
    .counter_hz = 1'000'000'000,
    .memory_bytes = uint64_t{64} << 30,  // not published; taken as a2a3's
    .dispatch_register = 0xD0,
    .condition_register = 0x5108,
};

}  // namespace taskmill::arch
