// A tensor argument of a run, checked by the layers above: its rank is 1 to 5, its memory holds its bytes, a device tensor lies
// in one live allocation.
#pragma once

#include <cstdint>
#include <string>

#include "taskmill/tensor.h"

namespace taskmill::tmr {

struct EntryArgument {
  std::string label;     // for messages: argument 2 ("kv_cache") of "decode"
  uint64_t address = 0;  // host or device memory
  uint64_t bytes = 0;    // of the tensor
  bool on_device = false;
  bool reads = false;   // its bytes matter to the run
  bool writes = false;  // the run changes them
  uint32_t shape[kMaxDims] = {};
  uint8_t ndims = 0;
  DataType dtype = DataType::kFloat32;
};

}  // namespace taskmill::tmr
