// One access of one task to one root, as the access index holds it: a node of the root's interval tree, of its list of whole
// readers or of its list of groups of writers. It lies in the lines of the task that made the access, or of the group that
// stands for several, and leaves the index when that task retires, so the index cannot overflow. Orchestrator only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/align.h"
#include "graph/root.h"

namespace taskmill::graph {

enum class RecordKind : uint8_t {
  kRemoved,  // by a write that covers it, or by a group that stands for it
  kInterval,
  kReader,      // of the whole root
  kWriteGroup,  // of all who have written these bytes
};

struct alignas(kCacheLineBytes) AccessRecord {
  uint64_t begin;
  uint64_t end;
  uint64_t max_end;        // largest end in the subtree
  uint64_t max_write_end;  // likewise, of those that write; 0: none
  uint32_t parent;         // list: the previous one
  uint32_t left;
  uint32_t right;  // list: the next one
  TaskRef task;
  uint32_t root_line;
  TaskRef root_owner;  // the task that made the root, if root_is_entry is false
  uint32_t epoch;      // the root's, when the record was made
  RecordKind kind;
  uint8_t use;  // kReads, kWrites, kOrdered
  bool root_is_entry;
  uint8_t view;  // 1 + place among the task's or group's own descriptors of the view that is accessed; 0: all of [begin, end)

  uint64_t write_end() const { return (use & kWrites) != 0 ? end : 0; }
};
static_assert(sizeof(AccessRecord) == kCacheLineBytes && std::is_trivially_copyable_v<AccessRecord>);

}  // namespace taskmill::graph
