// How an argument uses bytes of a root.
#pragma once

#include <cstdint>

#include "graph/footprint.h"
#include "graph/hazard_rules.h"
#include "graph/root.h"
#include "taskmill/tensor.h"

namespace taskmill::graph {

struct Access : Conduct {
  bool whole;          // every byte of the root
  uint8_t view_index;  // of `view` among the task's own descriptors, if the footprint is not exact
  uint32_t root_line;
  Footprint footprint;           // from the root's first byte
  const TensorDescriptor* view;  // borrowed until the submit returns
};

// Follows all who have written its bytes, and nobody else.
constexpr bool only_reads(const Access& access) { return (access.use & kWrites) == 0 && access.ordered && access.follows_writers; }

}  // namespace taskmill::graph
