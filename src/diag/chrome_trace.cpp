#include "diag/chrome_trace.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "support/file.h"

namespace taskmill::diag {
namespace {

using Json = nlohmann::ordered_json;

// What a viewer groups lanes by, in the order in which it shows the groups.
enum Group : int { kHost = 1, kAicpu = 2, kAicore = 3 };
constexpr const char* kGroupNames[] = {"", "Host", "AICPU", "AICore"};

struct Place {
  Group group;
  int thread;
};

Group group_of(std::string_view lane) {
  if (lane.starts_with("AIC ") || lane.starts_with("AIV ")) return kAicore;
  return lane.starts_with("Scheduler") || lane == "Orchestrator" ? kAicpu : kHost;
}

// "AIV 9" before "AIV 10".
std::tuple<std::string, int> natural(std::string_view lane) {
  const size_t space = lane.find(' ');
  if (space == std::string_view::npos) return {std::string(lane), 0};
  return {std::string(lane.substr(0, space)), std::atoi(std::string(lane.substr(space)).c_str())};
}

std::map<std::string_view, Place> place_lanes(std::span<const Span> spans) {
  std::map<std::string_view, Place> places;
  for (const Span& span : spans) places.emplace(span.lane, Place{group_of(span.lane), 0});
  std::vector<std::string_view> order;
  for (const auto& [lane, place] : places) order.push_back(lane);
  std::ranges::sort(order, {}, natural);
  int thread = 0;
  for (const std::string_view lane : order) places[lane].thread = ++thread;
  return places;
}

Json named(const char* what, Place place, std::string_view name) {
  return {{"name", what}, {"ph", "M"}, {"pid", place.group}, {"tid", place.thread}, {"args", {{"name", name}}}};
}

Json sorted_at(Place place) {
  return {
      {"name", "thread_sort_index"}, {"ph", "M"}, {"pid", place.group}, {"tid", place.thread}, {"args", {{"sort_index", place.thread}}}};
}

double microseconds(uint64_t ns) { return static_cast<double>(ns) / 1e3; }

Json complete_event(const Span& span, Place place, uint64_t origin_ns) {
  return {{"name", span.name},
          {"ph", "X"},
          {"pid", place.group},
          {"tid", place.thread},
          {"ts", microseconds(span.start_ns - origin_ns)},
          {"dur", microseconds(span.end_ns - span.start_ns)},
          {"args", {{"task", span.task}}}};
}

}  // namespace

Result<void> write_chrome_trace(const std::filesystem::path& file, std::span<const Span> spans, uint64_t dropped_spans) {
  const std::map<std::string_view, Place> places = place_lanes(spans);
  uint64_t origin_ns = spans.empty() ? 0 : ~uint64_t{0};
  for (const Span& span : spans) origin_ns = std::min(origin_ns, span.start_ns);
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":" + Json{{"dropped_spans", dropped_spans}}.dump() + ",\"traceEvents\":[";
  const char* separator = "\n";
  // One event a line: a trace may have millions, and only one of them is ever held as a tree. Bytes that are not UTF-8 are replaced.
  const auto add = [&](const Json& event) {
    text += separator + event.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  };
  for (const Group group : {kHost, kAicpu, kAicore}) add(named("process_name", {group, 0}, kGroupNames[group]));
  for (const auto& [lane, place] : places) {
    add(named("thread_name", place, lane));
    add(sorted_at(place));
  }
  for (const Span& span : spans) add(complete_event(span, places.at(span.lane), origin_ns));
  text += "\n]}\n";
  return replace_file(file, text);
}

}  // namespace taskmill::diag
