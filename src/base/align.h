// Alignment and powers of two, for values known to be in range.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taskmill {

constexpr size_t kCacheLineBytes = 64;
constexpr uint64_t kBufferAlignment = 1024;  // device buffers and runtime-made outputs

constexpr bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }
constexpr uint64_t align_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

}  // namespace taskmill
