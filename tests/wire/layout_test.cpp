// Contract 9: what crosses between programs has the same bytes on every side.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "wire/launch_block.h"
#include "wire/mailbox.h"
#include "wire/program.h"
#include "wire/run_error.h"
#include "wire/span_record.h"

namespace taskmill::test {
namespace {

using namespace wire;

static_assert(offsetof(CoreRegisters, dispatch_) == 0 && offsetof(CoreRegisters, gate_) == 4 && offsetof(CoreRegisters, cond_) == 64);
static_assert(offsetof(DispatchPayload, kernel) == 0 && offsetof(DispatchPayload, arguments_offset) == 8);
static_assert(offsetof(DispatchPayload, task) == 16 && offsetof(DispatchPayload, kernel_id) == 20);
static_assert(offsetof(DispatchPayload, tensor_count) == 24 && offsetof(DispatchPayload, scalar_count) == 26);
static_assert(offsetof(DispatchPayload, arguments_bytes) == 28 && offsetof(DispatchPayload, block_idx) == 32);
static_assert(offsetof(DispatchPayload, block_num) == 36 && offsetof(DispatchPayload, gated) == 40);
static_assert(offsetof(CompletionSlab, count) == 0 && offsetof(CompletionSlab, error_code) == 4 && offsetof(CompletionSlab, signal) == 8);
static_assert(offsetof(CompletionSlab, fault_address) == 16);
static_assert(offsetof(CoreMailbox, payload) == 0 && offsetof(CoreMailbox, slab) == 128 && sizeof(CoreMailbox) == 256);
static_assert(offsetof(TensorSlot, descriptor_line) == 0 && offsetof(TensorSlot, owner) == 4);

static_assert(offsetof(LaunchBlock, version) == 0 && offsetof(LaunchBlock, arch) == 4 && offsetof(LaunchBlock, run_serial) == 8);
static_assert(offsetof(LaunchBlock, registers) == 24 && offsetof(LaunchBlock, region) == 32 && offsetof(LaunchBlock, heap) == 48);
static_assert(offsetof(LaunchBlock, sizes) == 56 && offsetof(LaunchBlock, functions) == 152);
static_assert(offsetof(EntryTensor, buffer_bytes) == 64 && offsetof(EntryTensor, root) == 72);
static_assert(offsetof(RingSizes, argument_lines) == 4 && offsetof(RingSizes, edge_nodes) == 8 && offsetof(RingSizes, heap_bytes) == 16);
static_assert(offsetof(LaunchBlock, rules) == 188 && offsetof(LaunchBlock, orchestration_run) == 192);

static_assert(offsetof(RunError, code) == 0 && offsetof(RunError, reason) == 4 && offsetof(RunError, task) == 8);
static_assert(offsetof(RunError, needed) == 24 && offsetof(RunError, available) == 32 && offsetof(RunError, line) == 40);
static_assert(offsetof(RunError, ring) == 44 && offsetof(RingUse, tasks) == 0 && offsetof(RingUse, argument_lines) == 24);
static_assert(offsetof(RingUse, edge_nodes) == 48 && offsetof(RingUse, heap_bytes) == 72 && offsetof(RoomUse, enough) == 16);
static_assert(offsetof(RunError, file) == 48 && offsetof(RunError, message) == 176);
static_assert(offsetof(ResultBlock, run_serial) == 0 && offsetof(ResultBlock, submitted) == 8 && offsetof(ResultBlock, completed) == 16);
static_assert(offsetof(ResultBlock, stuck_cores) == 24 && offsetof(ResultBlock, error) == 40 && offsetof(ResultBlock, rings) == 344);

static_assert(offsetof(SpanRecord, start_ns) == 0 && offsetof(SpanRecord, end_ns) == 8 && offsetof(SpanRecord, task) == 16);
static_assert(offsetof(SpanRecord, kernel_id) == 20 && offsetof(SpanRecord, kind) == 24 && offsetof(SpanRecord, lane) == 26);
static_assert(offsetof(TraceHeader, magic) == 0 && offsetof(TraceHeader, lane_count) == 8 && offsetof(TraceHeader, records_per_lane) == 12);
static_assert(std::is_trivially_copyable_v<LaunchBlock> && std::is_trivially_copyable_v<RunError>);

TEST(WireLayout, the_lines_begin_behind_the_last_cores_mailbox) {
  EXPECT_EQ(mailbox_offset(0), 0u);
  EXPECT_EQ(mailbox_offset(71) + sizeof(CoreMailbox), line_base_offset(72));
  EXPECT_EQ(line_base_offset(108) % kCacheLineBytes, 0u);
}

TEST(WireLayout, a_trace_region_holds_its_header_lanes_and_records) {
  EXPECT_EQ(trace_region_bytes(0, 100), sizeof(TraceHeader));
  EXPECT_EQ(trace_region_bytes(3, 10), sizeof(TraceHeader) + 3 * (sizeof(TraceLane) + 10 * sizeof(SpanRecord)));
  EXPECT_EQ(trace_region_bytes(200, 1u << 31), 64 + 200 * (64 + (uint64_t{32} << 31)));
}

}  // namespace
}  // namespace taskmill::test
