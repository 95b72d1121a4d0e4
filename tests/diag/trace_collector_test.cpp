#include "diag/trace_collector.h"

#include <gtest/gtest.h>

#include "trace/trace.h"
#include "variant/fake_device.h"

namespace taskmill::diag {
namespace {

constexpr uint32_t kClusters = 2;
constexpr uint32_t kLanes = 3 * kClusters + 1 + 1;
constexpr uint32_t kRecords = 3;

class TraceCollectorTest : public testing::Test {
 protected:
  TraceCollectorTest() {
    region_ = *device_.allocate(bytes_);
    trace::init_region(region_, kLanes, kRecords);
  }
  void record(uint32_t lane, wire::SpanRecord span) { trace::On(region_).span(lane, span); }
  Result<uint64_t> collect() {
    return collect_trace(device_, region_, bytes_, {kClusters, {{4, "add"}}}, [this](const Span& span) {
      seen_.push_back(std::string(span.lane) + ": " + std::string(span.name) + " " + std::to_string(span.start_ns) + "-" +
                      std::to_string(span.end_ns) + " of " + std::to_string(span.task));
    });
  }

  testing_support::FakeDevice device_;
  const uint64_t bytes_ = wire::trace_region_bytes(kLanes, kRecords);
  DeviceAddress region_ = 0;
  std::vector<std::string> seen_;
};

TEST_F(TraceCollectorTest, spans_come_with_the_names_of_their_lanes_and_kernels) {
  record(1, {10, 20, 7, 4, wire::SpanKind::kKernel, 0, 0});
  record(5, {11, 21, 8, 9, wire::SpanKind::kKernel, 0, 0});
  record(6, {1, 2, 0, -1, wire::SpanKind::kBlocked, 0, 0});
  record(7, {1, 30, 0, -1, wire::SpanKind::kOrchestration, 0, 0});
  EXPECT_EQ(*collect(), 0u);
  EXPECT_EQ(seen_, (std::vector<std::string>{"AIC 1: add 10-20 of 7", "AIV 3: kernel 9 11-21 of 8", "Scheduler 0: waits for room 1-2 of 0",
                                             "Orchestrator: orchestration 1-30 of 0"}));
}

TEST_F(TraceCollectorTest, F20_what_full_lanes_dropped_is_counted_and_the_rest_is_there) {
  for (uint64_t i = 0; i < 10; ++i) record(2, {i, i + 1, 0, 4, wire::SpanKind::kKernel, 0, 0});
  for (uint64_t i = 0; i < 4; ++i) record(3, {i, i + 1, 0, 4, wire::SpanKind::kKernel, 0, 0});
  EXPECT_EQ(*collect(), 8u);
  EXPECT_EQ(seen_.size(), 2 * kRecords);
}

TEST_F(TraceCollectorTest, only_records_that_were_written_are_read_back) {
  record(2, {1, 2, 0, 4, wire::SpanKind::kKernel, 0, 0});
  ASSERT_TRUE(collect());
  uint64_t bytes = 0;
  for (const Copy& copy : device_.copies) bytes += copy.bytes;
  EXPECT_EQ(bytes, wire::trace_region_bytes(kLanes, 0) + sizeof(wire::SpanRecord));
}

TEST_F(TraceCollectorTest, an_overwritten_header_is_a_fault_not_a_crash) {
  auto* header = reinterpret_cast<wire::TraceHeader*>(region_);
  header->records_per_lane = 1'000'000;
  EXPECT_EQ(collect().error().code, ErrorCode::kDeviceFault);
  header->records_per_lane = kRecords;
  header->magic = 0;
  EXPECT_EQ(collect().error().code, ErrorCode::kDeviceFault);
}

}  // namespace
}  // namespace taskmill::diag
