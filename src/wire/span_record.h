// The span record of the trace channel, and the bounded ring per lane that holds it. Fixed format, little endian.
// A trace region is a TraceHeader, then lane_count TraceLane, then lane_count × records_per_lane SpanRecord.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/align.h"

namespace taskmill::wire {

enum class SpanKind : uint16_t {
  kKernel = 1,         // a kernel on a core; task, kernel_id
  kOrchestration = 2,  // the orchestration's run, first call to return
  kBlocked = 3,        // the orchestration waited for room
};

struct SpanRecord {
  uint64_t start_ns;
  uint64_t end_ns;
  uint32_t task;  // local id
  int32_t kernel_id;
  SpanKind kind;
  uint16_t lane;
  uint32_t reserved;
};
static_assert(sizeof(SpanRecord) == 32 && std::is_trivially_copyable_v<SpanRecord>);

constexpr uint32_t kTraceMagic = 0x4d54'5254;  // "TRTM"
constexpr uint32_t kTraceVersion = 1;

struct alignas(kCacheLineBytes) TraceHeader {
  uint32_t magic;
  uint32_t version;
  uint32_t lane_count;  // cores, then AICPU scheduler threads, then the orchestrator
  uint32_t records_per_lane;
};

// One writer per lane. Records beyond the capacity are counted, not stored.
struct alignas(kCacheLineBytes) TraceLane {
  uint64_t written;
  uint64_t dropped;
};

constexpr uint64_t trace_region_bytes(uint32_t lanes, uint32_t records_per_lane) {
  return sizeof(TraceHeader) + uint64_t{lanes} * (sizeof(TraceLane) + uint64_t{records_per_lane} * sizeof(SpanRecord));
}

}  // namespace taskmill::wire
