// The record of a root: a buffer known to the run, and who accessed it last. Orchestrator only.
//
// Whole-root accesses are kept in the line itself: the last whole write and the whole reads since. Partial accesses since
// the last whole write lie in an interval tree; whole reads beyond three in a list (access_index.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/align.h"
#include "graph/task_slot.h"
#include "taskmill/tensor.h"

namespace taskmill::graph {

constexpr uint32_t kNoLine = 0;  // as an access record's line: none
constexpr uint32_t kInlineReaders = 3;

// How a task uses bytes.
constexpr uint8_t kReads = 1;
constexpr uint8_t kWrites = 2;
constexpr uint8_t kOrdered = 4;  // of a record: the task follows all that conflicts with this access

struct alignas(kCacheLineBytes) RootRecord {
  uint64_t base;
  uint64_t bytes;
  uint32_t descriptor_line;
  uint32_t owner;         // 1 + slot of the task that made the buffer; 0: an entry argument
  TaskRef owner_task;     // that task
  uint32_t epoch;         // whole writes so far: access records of an earlier epoch are out of the index
  uint32_t partials;      // root of the interval tree
  uint32_t more_readers;  // first of the list
  TaskRef writer;
  uint8_t writer_use;  // kWrites, perhaps with kReads; 0: no whole write that matters
  uint8_t reader_count;
  bool descriptor_is_whole;  // its own descriptor touches every byte of it
  uint32_t write_groups;     // first of the list: tasks that each follow all who have written some bytes
  TaskRef readers[kInlineReaders];

  bool contains(uint64_t address, uint64_t size) const {
    return address >= base && address - base <= bytes && size <= bytes - (address - base);
  }
  bool has_readers() const { return reader_count != 0 || more_readers != kNoLine; }
};
static_assert(sizeof(RootRecord) == kCacheLineBytes && std::is_trivially_copyable_v<RootRecord>);

// The same 64 bytes? Word by word: this runs once per argument.
inline bool same_descriptor(const TensorDescriptor& a, const TensorDescriptor& b) {
  const auto differ = [&](size_t word) {
    uint64_t left = 0, right = 0;
    std::memcpy(&left, reinterpret_cast<const std::byte*>(&a) + word * sizeof left, sizeof left);
    std::memcpy(&right, reinterpret_cast<const std::byte*>(&b) + word * sizeof right, sizeof right);
    return left ^ right;
  };
  static_assert(sizeof(TensorDescriptor) == 8 * sizeof(uint64_t));
  return (differ(0) | differ(1) | differ(2) | differ(3) | differ(4) | differ(5) | differ(6) | differ(7)) == 0;
}

}  // namespace taskmill::graph
