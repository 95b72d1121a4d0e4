// Where the graph's parts lie in the run region. Order: the cores' mailboxes, the lines (roots and descriptors of the entry
// arguments, then the argument rings), task slots, edge pools, and what only the orchestrator uses. The rings' parts of an
// array lie side by side.
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
constexpr uint32_t kMaxTaskWindow = 1u << 24;  // inline edge nodes of all rings are numbered in 30 bits
constexpr uint32_t kMinArgumentLines = 4;
constexpr uint32_t kMaxArgumentLines = 1u << 28;  // those of all rings are numbered in 31 bits
constexpr uint32_t kMinEdgeNodes = 4;
constexpr uint32_t kMaxEdgeNodes = 1u << 28;
constexpr uint64_t kMaxHeapBytes = uint64_t{1} << 41;  // heap positions are compared modulo 2³² units of 1,024 bytes

constexpr uint32_t kGroupWindow = 64;  // when all its slots are taken, tasks are linked one by one
constexpr uint32_t kGroupLines = 2;    // per group: its access record and the view that it is about

constexpr uint32_t kEntryLines = 2;  // per entry tensor: its root's record, its descriptor

struct alignas(kCacheLineBytes) Line {
  std::byte bytes[kCacheLineBytes];
};

// One ring's part of each array.
struct RingPlace {
  uint32_t window = 0;
  uint32_t first_slot = 0;
  uint32_t lines = 0;
  uint32_t first_line = 0;
  uint32_t edge_nodes = 0;
  uint64_t edges = 0;  // offset from the region's base
  uint64_t heap = 0;   // offset in the output heap
  uint64_t heap_bytes = 0;
};

struct RegionLayout {
  bool valid = false;  // the sizes are legal; everything below is 0 otherwise
  RingPlace rings[kTaskRings];
  uint32_t line_count = 0;
  // Offsets from the region's base.
  uint64_t lines = 0;
  uint64_t slots = 0;
  uint64_t edge_returns = 0;
  uint64_t records = 0;
  uint64_t entry_tensors = 0;
  uint64_t entry_order = 0;
  uint64_t bytes = 0;  // of the mailboxes and the graph; a multiple of a cache line

  static constexpr RegionLayout make(uint32_t cores, uint32_t entry_tensor_count, const wire::GraphSizes& sizes) {
    RegionLayout layout;
    if (entry_tensor_count > kMaxEntryTensors) return {};
    layout.line_count = entry_tensor_count * kEntryLines;
    uint32_t slots = 0;
    uint64_t heap = 0;
    for (uint32_t i = 0; i < wire::kRings; ++i) {
      const wire::RingSizes& ring = sizes.rings[i];
      if (!is_legal(ring)) return {};
      layout.rings[i] = {ring.task_window, slots, ring.argument_lines, layout.line_count, ring.edge_nodes, 0, heap, ring.heap_bytes};
      slots += ring.task_window;
      layout.line_count += ring.argument_lines;
      heap += ring.heap_bytes;
    }
    layout.rings[kGroupRing].window = kGroupWindow;
    layout.rings[kGroupRing].first_slot = slots;
    layout.rings[kGroupRing].first_line = layout.line_count;
    layout.rings[kGroupRing].lines = kGroupWindow * kGroupLines;
    layout.line_count += kGroupWindow * kGroupLines;
    layout.rings[kGroupRing].heap = heap;
    slots += kGroupWindow;
    uint64_t end = wire::line_base_offset(cores);
    layout.valid = place<Line>(&end, layout.line_count, &layout.lines) && place<TaskSlot>(&end, slots, &layout.slots) &&
                   place<EdgeReturns>(&end, wire::kRings, &layout.edge_returns);
    for (uint32_t i = 0; i < wire::kRings; ++i) {
      layout.valid = layout.valid && place<EdgeNode>(&end, layout.rings[i].edge_nodes, &layout.rings[i].edges);
    }
    layout.valid = layout.valid && place<TaskRecord>(&end, slots, &layout.records) &&
                   place<Tensor>(&end, entry_tensor_count, &layout.entry_tensors) &&
                   place<uint32_t>(&end, entry_tensor_count, &layout.entry_order);
    if (!layout.valid) return {};
    layout.bytes = end;
    return layout;
  }

  static constexpr bool is_legal(const wire::RingSizes& ring) {
    return is_power_of_two(ring.task_window) && ring.task_window >= kMinTaskWindow && ring.task_window <= kMaxTaskWindow &&
           ring.argument_lines >= kMinArgumentLines && ring.argument_lines <= kMaxArgumentLines && ring.edge_nodes >= kMinEdgeNodes &&
           ring.edge_nodes <= kMaxEdgeNodes && (ring.heap_bytes & (kBufferAlignment - 1)) == 0 && ring.heap_bytes <= kMaxHeapBytes;
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
  uint32_t line_count = 0;
  TaskSlot* slots = nullptr;
  EdgeNode* edges[wire::kRings] = {};
  EdgeReturns* edge_returns = nullptr;  // one per ring
  // ---- orchestrator only
  TaskRecord* records = nullptr;
  Tensor* entry_tensors = nullptr;
  uint32_t* entry_order = nullptr;  // lines of the entry arguments' roots, by address

  // REQUIRES: layout.valid; `base`, a multiple of a cache line, is the address of layout.bytes bytes.
  static GraphRegion at(uint64_t base, const RegionLayout& layout) {
    GraphRegion region;
    region.lines = reinterpret_cast<Line*>(base + layout.lines);
    region.line_count = layout.line_count;
    region.slots = reinterpret_cast<TaskSlot*>(base + layout.slots);
    for (uint32_t i = 0; i < wire::kRings; ++i) region.edges[i] = reinterpret_cast<EdgeNode*>(base + layout.rings[i].edges);
    region.edge_returns = reinterpret_cast<EdgeReturns*>(base + layout.edge_returns);
    region.records = reinterpret_cast<TaskRecord*>(base + layout.records);
    region.entry_tensors = reinterpret_cast<Tensor*>(base + layout.entry_tensors);
    region.entry_order = reinterpret_cast<uint32_t*>(base + layout.entry_order);
    return region;
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
  // Slots of the producers whose buffers a task keeps; they follow its scalars.
  uint32_t* retained(const TaskDescription& task) const {
    return reinterpret_cast<uint32_t*>(line_as<uint64_t>(task.argument_line) + task.tensor_count + task.scalar_count);
  }
};
static_assert(std::is_trivially_copyable_v<GraphRegion>);

}  // namespace taskmill::graph
