// Which earlier accesses to the same bytes a task follows. The rules belong to the callable.
#pragma once

#include <cstdint>

#include "graph/root.h"
#include "taskmill/orchestration.h"

namespace taskmill::graph {

// What an argument of an existing tensor follows, and whether later ones follow it.
struct Conduct {
  uint8_t use;           // kReads, kWrites
  bool follows_writers;  // waits for earlier writers …
  bool follows_readers;  // … and readers of its bytes
  bool ordered;          // follows all that matters: later tasks that follow it need not follow what it covers
  bool tracked;          // orders later tasks
  bool follows_maker;    // follows the task that made the buffer, whatever else it follows
};

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

  // REQUIRES: mode is not kOutput.
  constexpr Conduct conduct(ArgumentMode mode, bool manual) const {
    const bool reads = mode != ArgumentMode::kOutputExisting, writes = mode != ArgumentMode::kInput;
    const bool untracked = manual || mode == ArgumentMode::kNoDependency;
    Conduct conduct = {};
    conduct.use = static_cast<uint8_t>((reads ? kReads : 0) | (writes ? kWrites : 0));
    conduct.ordered = !untracked && (reads || outputs_follow);
    conduct.follows_writers = conduct.ordered && ((reads && read_after_write) || (writes && write_after_write));
    conduct.follows_readers = conduct.ordered && writes && write_after_read;
    conduct.tracked = !untracked || untracked_are_recorded;
    conduct.follows_maker = !manual && !conduct.follows_writers;
    return conduct;
  }
  // Of an element that the orchestration reads or writes itself: it waits for all that uses the element.
  static constexpr Conduct element_conduct(bool writes) {
    return {.use = writes ? kWrites : kReads,
            .follows_writers = true,
            .follows_readers = writes,
            .ordered = true,
            .tracked = false,
            .follows_maker = false};
  }

  static constexpr HazardRules of(DependencyRules rules) {
    if (rules == DependencyRules::kNative) return {};
    return {.write_after_read = false, .outputs_follow = false, .untracked_are_recorded = false, .closed_scopes_linger = true};
  }
};

}  // namespace taskmill::graph
