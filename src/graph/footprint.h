// The bytes that a view may touch, as one interval counted from its buffer's first byte.
#pragma once

#include <cstdint>

#include "base/checked.h"
#include "taskmill/tensor.h"

namespace taskmill::graph {

struct Footprint {
  uint64_t begin;
  uint64_t end;  // begin == end: the view is empty and touches nothing
  bool exact;    // every byte of the interval is touched; else the interval only bounds what is touched

  bool empty() const { return begin == end; }
};

constexpr bool surely_covers(const Footprint& cover, const Footprint& part) {
  return cover.exact && cover.begin <= part.begin && part.end <= cover.end;
}

// Are the elements side by side in row-major order? The stride of a dimension of extent 1 does not matter.
// REQUIRES: view.ndims ≤ kMaxDims, no extent is 0.
inline bool is_dense(const TensorDescriptor& view) {
  uint64_t expected = 1;
  for (uint32_t d = view.ndims; d-- > 0;) {
    if (view.shapes[d] == 1) continue;
    if (view.strides[d] != expected) return false;
    expected *= view.shapes[d];
  }
  return true;
}

// REQUIRES: view.ndims ≤ kMaxDims. False: the view reaches beyond 2⁶⁴ bytes.
[[nodiscard]] inline bool footprint_of(const TensorDescriptor& view, Footprint* out) {
  uint64_t last = view.start_offset;  // the last element
  for (uint32_t d = 0; d < view.ndims; ++d) {
    if (view.shapes[d] == 0) {
      *out = {0, 0, true};
      return true;
    }
  }
  for (uint32_t d = 0; d < view.ndims; ++d) {
    if (!checked_add(last, uint64_t{view.shapes[d] - 1} * view.strides[d], &last)) return false;
  }
  const uint64_t bytes = element_bytes(view.dtype);
  Footprint footprint = {0, 0, is_dense(view)};
  if (!checked_mul(view.start_offset, bytes, &footprint.begin) || !checked_add(last, 1, &last) ||
      !checked_mul(last, bytes, &footprint.end)) {
    return false;
  }
  *out = footprint;
  return true;
}

}  // namespace taskmill::graph
