// Rounding to bfloat16.
#pragma once

#include <cstdint>
#include <cstring>

namespace qwen3 {

// To nearest, ties to even; a nan stays a nan.
inline uint16_t round_to_bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace qwen3
