// What only the orchestrator knows about the task in a slot; a parallel array, so that completers never touch its lines.
#pragma once

#include <cstdint>
#include <type_traits>

#include "graph/task_slot.h"

namespace taskmill::graph {

struct TaskRecord {
  TaskRef last_consumer;    // the newest task that looked at this one as its producer: each pair is linked once
  uint32_t pins_taken;      // by later tasks that name a buffer of this one, or have this one as a dependency
  uint32_t argument_lines;  // what retiring gives back, a skipped ring end included
  uint32_t heap_units;      // likewise, in 1,024 bytes
  uint32_t heap_begin;      // ring position of the first buffer, modulo 2³²
  uint32_t first_access;    // line of the task's first access record; the others follow
  uint32_t scope_serial;    // the scope that the task was submitted in; it holds the task's buffers
  uint8_t scope_depth;
  uint8_t access_count;
  uint8_t buffers;  // that the task made
  uint8_t reserved;
};
static_assert(sizeof(TaskRecord) == 32 && std::is_trivially_copyable_v<TaskRecord>);

}  // namespace taskmill::graph
