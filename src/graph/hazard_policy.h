// Which conflicts between two accesses to the same bytes order their tasks. A policy type; it belongs to the callable.
#pragma once

namespace taskmill::graph {

struct NativeHazards {
  static constexpr bool kReadAfterWrite = true;
  static constexpr bool kWriteAfterWrite = true;
  static constexpr bool kWriteAfterRead = true;
};

}  // namespace taskmill::graph
