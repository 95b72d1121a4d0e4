// A span of the timeline. Names are borrowed from whoever hands it on.
#pragma once

#include <cstdint>
#include <string_view>

namespace taskmill::diag {

struct Span {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  std::string_view lane;  // "AIC 3", "AIV 17", "Scheduler 0", "Orchestrator", "Host"
  std::string_view name;  // kernel or phase
  uint32_t task = 0;
};

}  // namespace taskmill::diag
