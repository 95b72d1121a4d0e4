// Where the graph's parts lie in the run region. Order: the cores' mailboxes, the lines (roots and descriptors of the entry
// arguments, then the argument ring), task slots, edge pool, and what only the orchestrator uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/align.h"
#include "base/checked.h"
#include "graph/edge_pool.h"
#include "graph/task_record.h"
#include "graph/task_slot.h"
#include "taskmill/tensor.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

constexpr uint32_t kMinTaskWindow = 4;
constexpr uint32_t kMaxTaskWindow = 1u << 24;  // inline edge nodes are numbered in 31 bits
constexpr uint32_t kMinArgumentLines = 4;
constexpr uint32_t kMaxArgumentLines = 1u << 28;
constexpr uint32_t kMinEdgeNodes = 4;
constexpr uint32_t kMaxEdgeNodes = 1u << 28;
constexpr uint64_t kMaxHeapBytes = uint64_t{1} << 41;  // heap positions advance by 32-bit counts of 1,024 bytes

constexpr uint32_t kEntryLines = 2;  // per entry tensor: its root's record, its descriptor

struct alignas(kCacheLineBytes) Line {
  std::byte bytes[kCacheLineBytes];
};

struct RegionLayout {
  bool valid = false;  // the sizes are legal; everything below is 0 otherwise
  uint32_t window = 0;
  uint32_t edge_nodes = 0;
  uint32_t first_argument_line = 0;
  uint32_t argument_lines = 0;
  // Offsets from the region's base.
  uint64_t lines = 0;
  uint64_t slots = 0;
  uint64_t edges = 0;
  uint64_t edge_returns = 0;
  uint64_t records = 0;
  uint64_t entry_tensors = 0;
  uint64_t bytes = 0;  // of the mailboxes and the graph; a multiple of a cache line

  static constexpr RegionLayout make(uint32_t cores, uint32_t entry_tensor_count, const wire::GraphSizes& sizes) {
    if (!sizes_are_legal(entry_tensor_count, sizes)) return {};
    RegionLayout layout;
    layout.window = sizes.task_window;
    layout.edge_nodes = sizes.edge_nodes;
    layout.first_argument_line = entry_tensor_count * kEntryLines;
    layout.argument_lines = sizes.argument_lines;
    uint64_t end = wire::line_base_offset(cores);
    const uint64_t line_count = uint64_t{layout.first_argument_line} + sizes.argument_lines;
    layout.valid = place<Line>(&end, line_count, &layout.lines) && place<TaskSlot>(&end, sizes.task_window, &layout.slots) &&
                   place<EdgeReturns>(&end, 1, &layout.edge_returns) && place<EdgeNode>(&end, sizes.edge_nodes, &layout.edges) &&
                   place<TaskRecord>(&end, sizes.task_window, &layout.records) &&
                   place<Tensor>(&end, entry_tensor_count, &layout.entry_tensors);
    if (!layout.valid) return {};
    layout.bytes = end;
    return layout;
  }

  static constexpr bool sizes_are_legal(uint32_t entry_tensor_count, const wire::GraphSizes& sizes) {
    return entry_tensor_count <= kMaxEntryTensors && is_power_of_two(sizes.task_window) && sizes.task_window >= kMinTaskWindow &&
           sizes.task_window <= kMaxTaskWindow && sizes.argument_lines >= kMinArgumentLines && sizes.argument_lines <= kMaxArgumentLines &&
           sizes.edge_nodes >= kMinEdgeNodes && sizes.edge_nodes <= kMaxEdgeNodes && (sizes.heap_bytes & (kBufferAlignment - 1)) == 0 &&
           sizes.heap_bytes <= kMaxHeapBytes;
  }

 private:
  template <class T>
  static constexpr bool place(uint64_t* end, uint64_t count, uint64_t* offset) {
    uint64_t bytes = 0;
    *offset = *end;
    return checked_mul(count, sizeof(T), &bytes) && checked_add(*end, bytes, end) && checked_align_up(*end, kCacheLineBytes, end);
  }
};

// Pointers into a region laid out so. Copy it freely; every thread may hold one.
struct GraphRegion {
  Line* lines = nullptr;
  TaskSlot* slots = nullptr;
  EdgeNode* edges = nullptr;
  EdgeReturns* edge_returns = nullptr;
  TaskRecord* records = nullptr;    // orchestrator only
  Tensor* entry_tensors = nullptr;  // orchestrator only

  // REQUIRES: layout.valid; `base`, a multiple of a cache line, is the address of layout.bytes bytes.
  static GraphRegion at(uint64_t base, const RegionLayout& layout) {
    return {reinterpret_cast<Line*>(base + layout.lines),         reinterpret_cast<TaskSlot*>(base + layout.slots),
            reinterpret_cast<EdgeNode*>(base + layout.edges),     reinterpret_cast<EdgeReturns*>(base + layout.edge_returns),
            reinterpret_cast<TaskRecord*>(base + layout.records), reinterpret_cast<Tensor*>(base + layout.entry_tensors)};
  }

  template <class T>
  T* line_as(uint32_t line) const {
    static_assert(alignof(T) <= kCacheLineBytes && std::is_trivially_copyable_v<T>);
    return reinterpret_cast<T*>(lines + line);
  }
  // The tensor part of a task's argument block; its scalars follow.
  const wire::TensorSlot* tensor_slots(uint32_t slot) const {
    return line_as<const wire::TensorSlot>(slots[slot].description().argument_line);
  }
};
static_assert(std::is_trivially_copyable_v<GraphRegion>);

}  // namespace taskmill::graph
