// Which arguments of a run share a root. The same host buffer named twice is one root, staged once; device tensors that overlap
// are views of one root, the smallest interval that holds them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskmill/result.h"
#include "variant/tmr/host/entry_argument.h"

namespace taskmill::tmr {

struct Root {
  uint32_t first = 0;  // the argument that names it first
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool on_device = false;
  bool reads = false;   // by any of its arguments
  bool writes = false;  // by any of its arguments
};

struct Roots {
  std::vector<Root> roots;
  std::vector<uint32_t> root_of;  // per argument: index into `roots`
};

// A tensor without bytes is a root of its own. OverlappingArguments names both arguments: host buffers of which one lies partly
// over the other and at least one is written (two copies could not stay equal), or device tensors that overlap by a part of an
// element.
Result<Roots> find_roots(std::span<const EntryArgument> arguments);

}  // namespace taskmill::tmr
