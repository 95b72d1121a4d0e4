#include "host/run_sizes.h"

#include <fmt/format.h>

#include "base/align.h"
#include "graph/region.h"
#include "support/text.h"

namespace taskmill {
namespace {

tl::unexpected<Error> illegal(const char* field, uint64_t value, const std::string& legal) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} is {}, it must be {}", field, text::grouped(value), legal));
}

Result<void> check_range(const char* field, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return {};
  return illegal(field, value, fmt::format("{} to {}", text::grouped(least), text::grouped(most)));
}

}  // namespace

Result<wire::GraphSizes> graph_sizes(const RunConfig& config) {
  wire::GraphSizes sizes = {};
  sizes.task_window = config.task_window != 0 ? config.task_window : kDefaultTaskWindow;
  if (!is_power_of_two(sizes.task_window) || sizes.task_window < graph::kMinTaskWindow || sizes.task_window > graph::kMaxTaskWindow) {
    return illegal("task_window", sizes.task_window,
                   fmt::format("a power of two from {} to {}", graph::kMinTaskWindow, text::grouped(graph::kMaxTaskWindow)));
  }
  sizes.heap_bytes = config.heap_bytes != 0 ? config.heap_bytes : kDefaultHeapBytes;
  if (sizes.heap_bytes % kBufferAlignment != 0 || sizes.heap_bytes > graph::kMaxHeapBytes) {
    return illegal("heap_bytes", sizes.heap_bytes,
                   fmt::format("a multiple of {}, at most {}", text::grouped(kBufferAlignment), text::grouped(graph::kMaxHeapBytes)));
  }
  sizes.edge_nodes = config.edge_nodes != 0 ? config.edge_nodes : kDefaultEdgeNodes;
  TASKMILL_TRY(check_range("edge_nodes", sizes.edge_nodes, graph::kMinEdgeNodes, graph::kMaxEdgeNodes));
  // Fits: 16 lines for the largest window are the most that is legal.
  sizes.argument_lines = config.argument_lines != 0 ? config.argument_lines : kArgumentLinesPerTask * sizes.task_window;
  TASKMILL_TRY(check_range("argument_lines", sizes.argument_lines, graph::kMinArgumentLines, graph::kMaxArgumentLines));
  return sizes;
}

}  // namespace taskmill
