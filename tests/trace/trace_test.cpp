#include "trace/trace.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace taskmill::test {
namespace {

constexpr uint32_t kLanes = 3, kRecords = 4;

class Region {
 public:
  Region() : bytes_(new (std::align_val_t{64}) std::byte[wire::trace_region_bytes(kLanes, kRecords)]) {
    std::memset(bytes_, 0xCC, wire::trace_region_bytes(kLanes, kRecords));
    trace::init_region(address(), kLanes, kRecords);
  }
  ~Region() { ::operator delete[](bytes_, std::align_val_t{64}); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(bytes_); }
  const wire::TraceHeader& header() const { return *reinterpret_cast<const wire::TraceHeader*>(bytes_); }
  const wire::TraceLane& lane(uint32_t i) const { return reinterpret_cast<const wire::TraceLane*>(bytes_ + sizeof(wire::TraceHeader))[i]; }
  const wire::SpanRecord& record(uint32_t lane, uint32_t i) const {
    const auto* lanes = reinterpret_cast<const wire::TraceLane*>(bytes_ + sizeof(wire::TraceHeader));
    return reinterpret_cast<const wire::SpanRecord*>(lanes + kLanes)[lane * kRecords + i];
  }

 private:
  std::byte* bytes_;
};

wire::SpanRecord span(uint64_t start) { return {start, start + 1, 7, 3, wire::SpanKind::kKernel, 0, 0}; }

TEST(Trace, an_empty_region_says_what_it_is) {
  const Region region;
  EXPECT_EQ(region.header().magic, wire::kTraceMagic);
  EXPECT_EQ(region.header().version, wire::kTraceVersion);
  EXPECT_EQ(region.header().lane_count, kLanes);
  EXPECT_EQ(region.header().records_per_lane, kRecords);
  for (uint32_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(region.lane(i).written, 0u);
    EXPECT_EQ(region.lane(i).dropped, 0u);
  }
}

TEST(Trace, records_go_to_their_lane_in_order) {
  const Region region;
  const trace::On probe(region.address());
  probe.span(2, span(10));
  probe.span(0, span(20));
  probe.span(2, span(30));
  EXPECT_EQ(region.lane(0).written, 1u);
  EXPECT_EQ(region.lane(1).written, 0u);
  EXPECT_EQ(region.lane(2).written, 2u);
  EXPECT_EQ(region.record(2, 0).start_ns, 10u);
  EXPECT_EQ(region.record(2, 1).start_ns, 30u);
  EXPECT_EQ(region.record(2, 1).lane, 2u);
  EXPECT_EQ(region.record(0, 0).task, 7u);
}

TEST(Trace, a_full_lane_counts_what_it_drops_and_leaves_its_neighbour_alone) {
  const Region region;
  const trace::On probe(region.address());
  for (uint64_t i = 0; i < 10; ++i) probe.span(0, span(i));
  EXPECT_EQ(region.lane(0).written, kRecords);
  EXPECT_EQ(region.lane(0).dropped, 6u);
  EXPECT_EQ(region.record(0, kRecords - 1).start_ns, kRecords - 1u);
  EXPECT_EQ(region.lane(1).written, 0u);
}

TEST(Trace, the_probe_that_is_off_touches_nothing) {
  const trace::Off probe(0);
  probe.span(5, span(1));
  EXPECT_FALSE(trace::Off::kEnabled);
  EXPECT_TRUE(trace::On::kEnabled);
}

}  // namespace
}  // namespace taskmill::test
