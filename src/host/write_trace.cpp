#include "diag/chrome_trace.h"
#include "taskmill/host.h"

namespace taskmill {

Result<void> write_trace(const std::filesystem::path& file, std::span<const TraceSpan> spans, uint64_t dropped_spans) {
  std::vector<diag::Span> views;
  views.reserve(spans.size());
  for (const TraceSpan& span : spans) views.push_back({span.start_ns, span.end_ns, span.lane, span.name, span.task});
  return diag::write_chrome_trace(file, views, dropped_spans);
}

}  // namespace taskmill
