// Fills in a RunError.
#pragma once

#include <cstdint>

#include "taskmill/error.h"
#include "wire/run_error.h"

namespace taskmill::aicpu {

constexpr uint32_t kNoTaskId = ~uint32_t{0};

// An error about no task, kernel, core or argument yet.
inline wire::RunError make_error(ErrorCode code, wire::Reason reason) {
  wire::RunError error = {};
  error.code = static_cast<int32_t>(code);
  error.reason = reason;
  error.task = kNoTaskId;
  error.kernel_id = -1;
  error.core = -1;
  error.argument = -1;
  return error;
}

// Cut to what there is room for.
inline void set_message(wire::RunError* error, const char* text) {
  uint32_t length = 0;
  for (; text[length] != '\0' && length + 1 < sizeof error->message; ++length) error->message[length] = text[length];
  error->message[length] = '\0';
}

}  // namespace taskmill::aicpu
