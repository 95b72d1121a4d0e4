// The argument block of a launch: the driver copies it at enqueue and fills in the ports of its own copy. Both programs of
// a run get the same block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "taskmill/orchestration.h"
#include "taskmill/tensor.h"
#include "wire/mailbox.h"
#include "wire/ports.h"
#include "wire/run_error.h"

namespace taskmill::wire {

constexpr uint32_t kLaunchVersion = 2;

// The rings that tasks take room in, a set per scope depth: 0, 1, 2, and 3 with all deeper ones.
constexpr uint32_t kRings = 4;
constexpr uint32_t ring_of_depth(uint32_t depth) { return depth < kRings ? depth : kRings - 1; }

struct RingSizes {
  uint32_t task_window;     // task slots, a power of two ≥ 4; usable: one less
  uint32_t argument_lines;  // 64-byte lines for arguments, descriptors and access records, ≥ 4
  uint32_t edge_nodes;      // overflow edges beyond the eight in each task slot, ≥ 4
  uint32_t reserved;
  uint64_t heap_bytes;  // for buffers that tasks make, a multiple of 1,024
};
static_assert(sizeof(RingSizes) == 24);

struct GraphSizes {
  RingSizes rings[kRings];

  // Of the output heap: the rings' parts lie side by side, ring 0 first. The sum wraps; RegionLayout bounds each part.
  constexpr uint64_t heap_bytes() const {
    uint64_t sum = 0;
    for (const RingSizes& ring : rings) sum += ring.heap_bytes;
    return sum;
  }
};
static_assert(sizeof(GraphSizes) == kRings * sizeof(RingSizes));

// An entry tensor: a root of the run and the view of it that the orchestration is given.
struct EntryTensor {
  TensorDescriptor descriptor;
  uint64_t buffer_bytes;
  uint32_t root;  // index of the entry tensor that first names this buffer (its own index if none before)
  uint8_t reserved[52];
};
static_assert(sizeof(EntryTensor) == 128 && std::is_trivially_copyable_v<EntryTensor>);

struct LaunchBlock {
  uint32_t version;     // kLaunchVersion
  uint32_t arch;        // arch::ArchId
  uint64_t run_serial;  // ≥ 1, one more at each run of a device; the token generation follows from it
  uint32_t clusters;
  uint32_t scheduler_threads;

  uint64_t registers;  // CoreRegisters[3 × clusters]
  uint64_t region;     // run region, as the AICPU sees it; zeroed by nobody: init lays it out
  uint64_t region_bytes;
  uint64_t heap;  // output heap, sizes.heap_bytes(), 1,024-byte aligned
  GraphSizes sizes;

  uint64_t functions;  // u64[function_count]: kernel entry addresses, 0 where the callable has no such id
  uint32_t function_count;
  uint32_t entry_tensor_count;
  uint64_t entry_tensors;  // EntryTensor[entry_tensor_count]
  uint64_t entry_scalars;  // u64[entry_scalar_count]
  uint32_t entry_scalar_count;
  DependencyRules rules;
  uint64_t orchestration_run;    // the support source's runner: int32_t (ops*, self, entry, args*)
  uint64_t orchestration_entry;  // the user's function

  uint64_t result;           // ResultBlock
  uint64_t trace;            // trace region, 0: off
  uint64_t trace_bytes;      // its size
  uint64_t kernel_limit_ns;  // a kernel may run this long; 0: no limit
  uint64_t stall_limit_ns;   // longest time without a completion and without a kernel on a core; 0: no limit

  // Filled in by the driver.
  const CorePort* core_port;
  const AicpuPort* aicpu_port;
};
static_assert(std::is_trivially_copyable_v<LaunchBlock>);
static_assert(sizeof(LaunchBlock) == 264);

// Where the cores' mailboxes lie: at the start of the run region.
constexpr uint64_t mailbox_offset(uint32_t core) { return uint64_t{core} * sizeof(CoreMailbox); }
// Base of the 64-byte lines that TensorSlot::descriptor_line and DispatchPayload::arguments_offset point into.
constexpr uint64_t line_base_offset(uint32_t cores) { return mailbox_offset(cores); }

}  // namespace taskmill::wire
