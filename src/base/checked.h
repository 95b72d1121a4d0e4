// Arithmetic on sizes and offsets that come from outside. Each function gives false and leaves *out alone on overflow.
#pragma once

#include <cstdint>

namespace taskmill {

[[nodiscard]] constexpr bool checked_add(uint64_t a, uint64_t b, uint64_t* out) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return false;
  *out = sum;
  return true;
}

[[nodiscard]] constexpr bool checked_mul(uint64_t a, uint64_t b, uint64_t* out) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return false;
  *out = product;
  return true;
}

// Rounds up to a multiple of `alignment`, a power of two.
[[nodiscard]] constexpr bool checked_align_up(uint64_t value, uint64_t alignment, uint64_t* out) {
  uint64_t padded = 0;
  if (!checked_add(value, alignment - 1, &padded)) return false;
  *out = padded & ~(alignment - 1);
  return true;
}

// True if [offset, offset + bytes) lies in [0, size).
[[nodiscard]] constexpr bool range_fits(uint64_t offset, uint64_t bytes, uint64_t size) { return offset <= size && bytes <= size - offset; }

}  // namespace taskmill
