// A run's ring sizes: the defaults of RunConfig filled in, and checked.
#pragma once

#include "taskmill/host.h"
#include "wire/launch_block.h"

namespace taskmill {

// Of each set of rings.
constexpr uint64_t kDefaultTaskWindow = 16'384;
constexpr uint64_t kDefaultHeapBytes = uint64_t{256} << 20;
constexpr uint64_t kDefaultEdgeNodes = 16'384;
constexpr uint64_t kArgumentLinesPerTask = 16;
constexpr uint64_t kDefaultKernelLimitNs = 45'000'000'000;
constexpr uint64_t kDefaultStallLimitNs = 10'000'000'000;
constexpr uint32_t kDefaultTraceRecords = 8'192;

// InvalidArgument names the field, the ring, the value and what is legal.
Result<wire::GraphSizes> graph_sizes(const RunConfig& config);

}  // namespace taskmill
