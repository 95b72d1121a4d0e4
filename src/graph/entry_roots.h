// The roots and tensors of a run's arguments: two lines each at the start of the line array, so that Tensor::root of the
// entry tensor that first names a buffer is twice its index.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/footprint.h"
#include "graph/region.h"
#include "graph/root.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

// REQUIRES: entry.root ≤ index, and the entry that it names is its own root.
inline void make_entry(const GraphRegion& region, const wire::EntryTensor& entry, uint32_t index, uint64_t run_serial,
                       uint32_t scope_serial) {
  const uint32_t record_line = index * kEntryLines;
  const uint32_t descriptor_line = record_line + 1;
  *region.line_as<TensorDescriptor>(descriptor_line) = entry.descriptor;
  RootRecord record = {};
  if (entry.root == index) {
    Footprint footprint = {};
    record.base = entry.descriptor.buffer.addr;
    record.bytes = entry.buffer_bytes;
    record.descriptor_line = descriptor_line;
    record.descriptor_is_whole = footprint_of(entry.descriptor, &footprint) && surely_covers(footprint, {0, entry.buffer_bytes, true});
  }
  *region.line_as<RootRecord>(record_line) = record;
  region.entry_tensors[index] = {
      entry.descriptor, entry.buffer_bytes, run_serial, entry.root * kEntryLines, scope_serial, 0, 0, kNoTask, {}};
}

// Gives the number of roots, which GraphRegion::entry_order lists by address.
inline uint32_t make_entries(const GraphRegion& region, const wire::LaunchBlock& launch, uint32_t scope_serial) {
  const auto* entries = reinterpret_cast<const wire::EntryTensor*>(launch.entry_tensors);
  uint32_t roots = 0;
  for (uint32_t i = 0; i < launch.entry_tensor_count; ++i) {
    make_entry(region, entries[i], i, launch.run_serial, scope_serial);
    if (entries[i].root == i) region.entry_order[roots++] = i * kEntryLines;
  }
  std::sort(region.entry_order, region.entry_order + roots,
            [&](uint32_t a, uint32_t b) { return region.line_as<const RootRecord>(a)->base < region.line_as<const RootRecord>(b)->base; });
  return roots;
}

}  // namespace taskmill::graph
