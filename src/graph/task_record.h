// What only the orchestrator knows about the task in a slot; a parallel array, so that completers never touch its lines.
#pragma once

#include <cstdint>
#include <type_traits>

namespace taskmill::graph {

struct TaskRecord {
  uint32_t last_consumer;   // the newest task that looked at this one as its producer: each pair is linked once
  uint32_t pins_taken;      // by arguments of later tasks that name a buffer of this one
  uint32_t argument_lines;  // what retiring gives back, a skipped ring end included
  uint32_t heap_units;      // likewise, in 1,024 bytes
  uint32_t first_access;    // line of the task's first access record; the others follow
  uint32_t scope_serial;    // the scope that holds the task's buffers
  uint8_t scope_depth;
  uint8_t access_count;
  bool has_buffers;
  uint8_t reserved[5];

  // The scope at `depth` keeps the task until it ends.
  void hold(uint32_t depth, uint32_t serial) {
    has_buffers = true;
    scope_depth = static_cast<uint8_t>(depth);
    scope_serial = serial;
  }
};
static_assert(sizeof(TaskRecord) == 32 && std::is_trivially_copyable_v<TaskRecord>);

}  // namespace taskmill::graph
