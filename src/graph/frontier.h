// How far a set of rings has come. What a scope keeps is everything from its first buffer on.
#pragma once

#include <cstdint>

namespace taskmill::graph {

struct Frontier {
  uint64_t tasks;
  uint64_t lines;
  uint64_t heap_units;
};

}  // namespace taskmill::graph
