// Finds the root that an address lies in, without a hint: among the entry arguments by binary search, among the buffers that
// tasks made through the heap ring that the address lies in, whose tasks are in the order of their positions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/region.h"
#include "graph/ring_set.h"
#include "graph/root.h"

namespace taskmill::graph {

constexpr uint32_t kNoRoot = 0xFFFF'FFFF;

class RootFinder {
 public:
  RootFinder() = default;
  // Both must outlive the finder and stay where they are.
  RootFinder(const GraphRegion& region, const RingSet& rings, uint32_t entry_roots)
      : region_(&region), rings_(&rings), entry_roots_(entry_roots) {}

  // The line of the root that holds the byte at `address`; kNoRoot: there is none. The buffers of a task that was not
  // retired are found, whether or not their scope has ended.
  uint32_t find(uint64_t address) const {
    const uint32_t entry = find_entry(address);
    if (entry != kNoRoot) return entry;
    for (uint32_t ring = 0; ring < wire::kRings; ++ring) {
      uint32_t position = 0;
      if (rings_->heap(ring).position_of(address, &position)) return find_buffer(rings_->tasks().at(ring), position, address);
    }
    return kNoRoot;
  }

 private:
  bool holds(uint32_t line, uint64_t address) const { return region_->line_as<const RootRecord>(line)->contains(address, 1); }

  uint32_t find_entry(uint64_t address) const {
    const uint32_t* begin = region_->entry_order;
    const uint32_t* after = std::upper_bound(begin, begin + entry_roots_, address,
                                             [&](uint64_t a, uint32_t line) { return a < region_->line_as<const RootRecord>(line)->base; });
    if (after == begin || !holds(after[-1], address)) return kNoRoot;
    return after[-1];
  }

  uint32_t find_buffer(const TaskRing& tasks, uint32_t position, uint64_t address) const {
    // The last task whose buffers begin at or before `position`; positions less than half of all numbers apart.
    uint64_t first = tasks.tail(), last = tasks.head();
    while (first < last) {
      const uint64_t middle = first + (last - first) / 2;
      const bool before = static_cast<int32_t>(position - region_->records[tasks.slot_at(middle)].heap_begin) >= 0;
      (before ? first : last) = before ? middle + 1 : middle;
    }
    if (first == tasks.tail()) return kNoRoot;
    const uint32_t slot = tasks.slot_at(first - 1);
    const TaskDescription& task = region_->slots[slot].description();
    const uint32_t roots = task.descriptor_line() + task.descriptor_lines;
    for (uint32_t i = 0; i < region_->records[slot].buffers; ++i) {
      if (holds(roots + i, address)) return roots + i;
    }
    return kNoRoot;
  }

  const GraphRegion* region_ = nullptr;
  const RingSet* rings_ = nullptr;
  uint32_t entry_roots_ = 0;
};

}  // namespace taskmill::graph
