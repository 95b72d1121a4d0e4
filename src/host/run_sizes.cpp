#include "host/run_sizes.h"

#include <fmt/format.h>

#include "base/align.h"
#include "graph/region.h"
#include "support/text.h"
#include "variant/tmr/host/error_text.h"

namespace taskmill {
namespace {

using text::grouped;

// A field's number for one set of rings.
struct Entry {
  const char* field;
  uint32_t ring;
  uint64_t value;

  Entry(const char* name, const PerRing& values, uint32_t index, uint64_t by_default)
      : field(name), ring(index), value(values[index] != 0 ? values[index] : by_default) {}

  tl::unexpected<Error> illegal(const std::string& legal) const {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} of {} is {}, it must be {}", field, tmr::ring_depths(ring), grouped(value), legal));
  }
  Result<void> check_range(uint64_t least, uint64_t most) const {
    if (value >= least && value <= most) return {};
    return illegal(fmt::format("{} to {}", grouped(least), grouped(most)));
  }
};

Result<wire::RingSizes> ring_sizes(const RunConfig& config, uint32_t ring) {
  const Entry window("task_window", config.task_window, ring, kDefaultTaskWindow);
  if (!is_power_of_two(window.value) || window.value < graph::kMinTaskWindow || window.value > graph::kMaxTaskWindow) {
    return window.illegal(fmt::format("a power of two from {} to {}", graph::kMinTaskWindow, grouped(graph::kMaxTaskWindow)));
  }
  const Entry heap("heap_bytes", config.heap_bytes, ring, kDefaultHeapBytes);
  if (heap.value % kBufferAlignment != 0 || heap.value > graph::kMaxHeapBytes) {
    return heap.illegal(fmt::format("a multiple of {}, at most {}", grouped(kBufferAlignment), grouped(graph::kMaxHeapBytes)));
  }
  const Entry edges("edge_nodes", config.edge_nodes, ring, kDefaultEdgeNodes);
  TASKMILL_TRY(edges.check_range(graph::kMinEdgeNodes, graph::kMaxEdgeNodes));
  // 16 lines for each slot of the largest window are the most that is legal.
  const Entry lines("argument_lines", config.argument_lines, ring, kArgumentLinesPerTask * window.value);
  TASKMILL_TRY(lines.check_range(graph::kMinArgumentLines, graph::kMaxArgumentLines));
  return wire::RingSizes{.task_window = static_cast<uint32_t>(window.value),
                         .argument_lines = static_cast<uint32_t>(lines.value),
                         .edge_nodes = static_cast<uint32_t>(edges.value),
                         .reserved = 0,
                         .heap_bytes = heap.value};
}

}  // namespace

Result<wire::GraphSizes> graph_sizes(const RunConfig& config) {
  wire::GraphSizes sizes = {};
  for (uint32_t ring = 0; ring < wire::kRings; ++ring) {
    TASKMILL_ASSIGN(sizes.rings[ring], ring_sizes(config, ring));
  }
  return sizes;
}

}  // namespace taskmill
