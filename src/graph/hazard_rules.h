// Which earlier accesses to the same bytes a task follows. The rules belong to the callable.
#pragma once

#include <cstdint>

#include "taskmill/orchestration.h"

namespace taskmill::graph {

struct HazardRules {
  bool read_after_write = true;
  bool write_after_write = true;
  bool write_after_read = true;
  // A write-only argument follows earlier accesses; else it follows the task that made the buffer, and is recorded beside
  // the accesses that it does not follow.
  bool outputs_follow = true;
  // What a task of a MANUAL scope and a kNoDependency argument access orders later tasks.
  bool untracked_are_recorded = true;
  // A closed scope keeps its buffers until the next scope at its depth, or its parent, is closed.
  bool closed_scopes_linger = false;
  // Members that a group has at least (access_index.h).
  uint32_t group_from = 16;

  static constexpr HazardRules of(DependencyRules rules) {
    if (rules == DependencyRules::kNative) return {};
    return {.write_after_read = false, .outputs_follow = false, .untracked_are_recorded = false, .closed_scopes_linger = true};
  }
};

}  // namespace taskmill::graph
