// Single elements, as an orchestration reads and writes them, and buffers filled with one.
#pragma once

#include <cstdint>
#include <cstring>

#include "graph/refusal.h"
#include "taskmill/tensor.h"
#include "wire/run_error.h"

namespace taskmill::graph {

struct Element {
  uint64_t address = 0;
  uint32_t bytes = 0;  // 1, 2, 4 or 8; 0: there is none

  uint64_t load() const {
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
    return value;
  }
  void store(uint64_t value) const { std::memcpy(reinterpret_cast<void*>(address), &value, bytes); }
};

// The view of one element: `index` has `ndims` numbers, the tensor's rank; or none, for the first element.
[[nodiscard]] inline bool element_view(const Tensor& tensor, uint32_t ndims, const uint32_t* index, Tensor* view, Refusal* refusal) {
  *view = tensor;
  if (ndims != 0 && ndims != tensor.ndims) {
    refusal->reason = wire::Reason::kBadIndex;
    refusal->needed = ndims;
    refusal->available = tensor.ndims;
    return false;
  }
  for (uint32_t d = 0; d < tensor.ndims && d < kMaxDims; ++d) {
    const uint32_t place = ndims != 0 ? index[d] : 0;
    if (place >= tensor.shapes[d]) {
      refusal->reason = wire::Reason::kIndexOutside;
      refusal->argument = static_cast<int32_t>(d);
      refusal->needed = place;
      refusal->available = tensor.shapes[d];
      return false;
    }
    view->start_offset += uint64_t{place} * tensor.strides[d];
    view->shapes[d] = 1;
  }
  return true;
}

// Every element of [address, address + bytes) becomes the low bytes of `value`. REQUIRES: both are multiples of 8.
inline void fill_elements(uint64_t address, uint64_t bytes, uint32_t element_bytes, uint64_t value) {
  uint64_t word = element_bytes == 8 ? value : value & ((uint64_t{1} << 8 * element_bytes) - 1);
  for (uint32_t width = element_bytes; width < 8; width *= 2) word |= word << 8 * width;
  auto* words = reinterpret_cast<uint64_t*>(address);
  for (uint64_t i = 0; i < bytes / sizeof word; ++i) words[i] = word;
}

}  // namespace taskmill::graph
