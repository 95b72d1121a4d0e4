#include "diag/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/file.h"

namespace taskmill::diag {
namespace {

nlohmann::json written(std::span<const Span> spans, uint64_t dropped) {
  const TemporaryFolder folder = *TemporaryFolder::make("taskmill-test-");
  const std::filesystem::path file = folder.path() / "deep" / "trace.json";
  const Result<void> result = write_chrome_trace(file, spans, dropped);
  EXPECT_TRUE(result) << result.error().message;
  return nlohmann::json::parse(*read_file(file));
}

std::vector<nlohmann::json> events(const nlohmann::json& trace, const std::string& phase, const std::string& name = {}) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] == phase && (name.empty() || event["name"] == name)) found.push_back(event);
  }
  return found;
}

TEST(ChromeTrace, a_span_is_a_complete_event_in_microseconds_from_the_earliest) {
  const Span spans[] = {{5'000'000, 5'002'500, "AIV 3", "add", 7}, {4'000'000, 4'000'001, "Orchestrator", "orchestration", 0}};
  const auto complete = events(written(spans, 0), "X");
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0]["name"], "add");
  EXPECT_DOUBLE_EQ(complete[0]["ts"], 1'000.0);
  EXPECT_DOUBLE_EQ(complete[0]["dur"], 2.5);
  EXPECT_EQ(complete[0]["args"]["task"], 7);
  EXPECT_DOUBLE_EQ(complete[1]["ts"], 0.0);
  EXPECT_DOUBLE_EQ(complete[1]["dur"], 0.001);
}

TEST(ChromeTrace, each_lane_is_a_named_thread_of_its_processor_in_natural_order) {
  const Span spans[] = {{1, 2, "AIV 10", "k", 0}, {1, 2, "AIV 9", "k", 0}, {1, 2, "AIC 0", "k", 0}, {1, 2, "Host", "prepare", 0}};
  const nlohmann::json trace = written(spans, 0);
  std::map<std::string, std::pair<int, int>> place;
  for (const nlohmann::json& event : events(trace, "M", "thread_name")) place[event["args"]["name"]] = {event["pid"], event["tid"]};
  ASSERT_EQ(place.size(), 4u);
  EXPECT_LT(place["AIC 0"].second, place["AIV 9"].second);
  EXPECT_LT(place["AIV 9"].second, place["AIV 10"].second);
  EXPECT_NE(place["Host"].first, place["AIC 0"].first);
  std::map<int, std::string> processes;
  for (const nlohmann::json& event : events(trace, "M", "process_name")) processes[event["pid"]] = event["args"]["name"];
  EXPECT_EQ(processes[place["AIV 9"].first], "AICore");
  EXPECT_EQ(processes[place["Host"].first], "Host");
  for (const nlohmann::json& event : events(trace, "X")) EXPECT_TRUE(event.contains("tid"));
}

TEST(ChromeTrace, F20_the_count_of_dropped_spans_is_in_the_file) { EXPECT_EQ(written({}, 123)["otherData"]["dropped_spans"], 123); }

TEST(ChromeTrace, a_name_with_quotes_and_broken_bytes_is_still_json) {
  const Span spans[] = {{1, 2, "Host", "a\"b\\\n\xff", 0}};
  EXPECT_EQ(events(written(spans, 0), "X").size(), 1u);
}

TEST(ChromeTrace, a_file_that_cannot_be_written_is_named) {
  const Result<void> result = write_chrome_trace("/proc/nowhere/trace.json", {}, 0);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIoFailed);
  EXPECT_NE(result.error().message.find("/proc/nowhere/trace.json"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace taskmill::diag
