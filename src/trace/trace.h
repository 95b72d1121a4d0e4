// The probe of the device programs: a policy type, empty when off. A lane has one writer; a full lane counts what it drops.
#pragma once

#include <cstdint>

#include "wire/span_record.h"

namespace taskmill::trace {

struct Off {
  static constexpr bool kEnabled = false;
  explicit Off(uint64_t /*region*/) {}
  void span(uint32_t /*lane*/, const wire::SpanRecord& /*record*/) const {}
};

class On {
 public:
  static constexpr bool kEnabled = true;
  explicit On(uint64_t region) : header_(reinterpret_cast<wire::TraceHeader*>(region)) {}

  void span(uint32_t lane, const wire::SpanRecord& record) const {
    auto* lanes = reinterpret_cast<wire::TraceLane*>(header_ + 1);
    auto* records = reinterpret_cast<wire::SpanRecord*>(lanes + header_->lane_count);
    wire::TraceLane& own = lanes[lane];
    if (own.written == header_->records_per_lane) {
      ++own.dropped;
      return;
    }
    wire::SpanRecord& slot = records[uint64_t{lane} * header_->records_per_lane + own.written];
    slot = record;
    slot.lane = static_cast<uint16_t>(lane);
    ++own.written;
  }

 private:
  wire::TraceHeader* header_;
};

// Lays an empty trace region out. REQUIRES: trace_region_bytes(lanes, records_per_lane) bytes at `region`.
inline void init_region(uint64_t region, uint32_t lanes, uint32_t records_per_lane) {
  *reinterpret_cast<wire::TraceHeader*>(region) = {wire::kTraceMagic, wire::kTraceVersion, lanes, records_per_lane};
  auto* lane = reinterpret_cast<wire::TraceLane*>(region + sizeof(wire::TraceHeader));
  for (uint32_t i = 0; i < lanes; ++i) lane[i] = {};
}

}  // namespace taskmill::trace
