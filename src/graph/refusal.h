// Why a task cannot be made, or a scope not opened, and the error that the run ends with because of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graph/scope_stack.h"
#include "graph/task_slot.h"
#include "taskmill/error.h"
#include "wire/run_error.h"

namespace taskmill::graph {

// Meaning of the numbers: wire::Reason.
struct Refusal {
  ErrorCode code = ErrorCode::kInvalidArgs;
  wire::Reason reason = wire::Reason::kNone;
  int32_t argument = -1;
  uint64_t needed = 0;
  uint64_t available = 0;
  uint32_t ring = 0;
};

// `task` is the place that the refused task would have had in the order of submits.
inline wire::RunError run_error(const Refusal& refusal, uint32_t task, int32_t kernel_id) {
  wire::RunError error = {};
  error.code = static_cast<int32_t>(refusal.code);
  error.reason = refusal.reason;
  error.task = task;
  error.kernel_id = kernel_id;
  error.core = -1;
  error.argument = refusal.argument;
  error.needed = refusal.needed;
  error.available = refusal.available;
  error.ring = refusal.ring;
  return error;
}

// Of a long file name the end is kept: it says more than the beginning.
inline void name_scope(const Scope& scope, wire::RunError* error) {
  constexpr size_t kLongestPath = 4096;
  size_t length = 0;
  while (length < kLongestPath && scope.file[length] != 0) ++length;
  const size_t kept = std::min(length, sizeof error->file - 1);
  std::memcpy(error->file, scope.file + (length - kept), kept);
  error->file[kept] = 0;
  error->line = scope.line;
}

}  // namespace taskmill::graph
