// Accesses that lately followed many tasks: the next access of the same kind is likely to follow the same ones. A hint and no
// more: of two that share a place the later one is kept (until it has its group and is not noted again), the tasks complete, and
// the root may be another one by now.
// Orchestrator only.
#pragma once

#include <cstdint>

#include "graph/access.h"

namespace taskmill::graph {

struct Crowd {
  uint32_t root_line = kNoLine;
  TaskRef task = 0;  // whose access it was
  bool of_writers = false;
  uint64_t begin = 0;  // if it is one of writers: the bytes that were read
  uint64_t end = 0;
};

class Crowds {
 public:
  bool any() const { return any_; }
  void note(const Access& access, TaskRef task) {
    if (!only_reads(access) && !writes_part(access)) return;
    crowds_[place_of(access)] = {access.root_line, task, only_reads(access), access.footprint.begin, access.footprint.end};
    any_ = true;
  }
  // What an access before this one has followed; nullptr: not much, or this one would not follow it.
  const Crowd* find(const Access& access) const {
    const Crowd& crowd = crowds_[place_of(access)];
    if (crowd.root_line != access.root_line || crowd.of_writers != only_reads(access)) return nullptr;
    if (!crowd.of_writers) return writes_part(access) ? &crowd : nullptr;
    return crowd.begin == access.footprint.begin && crowd.end == access.footprint.end ? &crowd : nullptr;
  }
  void forget(const Access& access) { crowds_[place_of(access)] = {}; }

 private:
  static constexpr uint32_t kPlaceBits = 4;

  // Others may follow the same readers: a whole write is the last that follows them.
  static bool writes_part(const Access& access) { return access.follows_readers && !access.whole; }

  // Readers of different bytes of one root have places of their own, its writers share one.
  static uint32_t place_of(const Access& access) {
    const uint64_t key = only_reads(access) ? access.footprint.begin * 3 + access.footprint.end : 1;
    return static_cast<uint32_t>(((key ^ access.root_line) * 0x9E37'79B9'7F4A'7C15) >> (64 - kPlaceBits));
  }

  Crowd crowds_[1u << kPlaceBits];
  bool any_ = false;
};

}  // namespace taskmill::graph
