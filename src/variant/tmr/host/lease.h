// What a run holds on the device for one root of its arguments.
#pragma once

#include <cstdint>

#include "taskmill/driver.h"

namespace taskmill::tmr {

enum class TensorReleaseKind : uint8_t {
  kNone,  // the caller's memory: nothing to give up
  kFree,  // allocated for this run
};

struct TensorLease {
  DeviceAddress device = 0;
  uint64_t host = 0;  // address of the caller's bytes; 0 for a device tensor
  uint64_t bytes = 0;
  bool needs_copy_in = false;
  bool needs_copy_back = false;
  TensorReleaseKind release = TensorReleaseKind::kNone;
};

}  // namespace taskmill::tmr
