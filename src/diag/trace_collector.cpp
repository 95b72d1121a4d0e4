#include "diag/trace_collector.h"

#include <fmt/format.h>

#include <vector>

#include "support/log.h"
#include "support/text.h"
#include "variant/tmr/host/error_text.h"
#include "wire/span_record.h"

namespace taskmill::diag {
namespace {

using wire::SpanRecord;
using wire::TraceHeader;
using wire::TraceLane;

template <class T>
Result<std::vector<T>> read(Device& device, DeviceAddress address, uint64_t count) {
  std::vector<T> values(count);
  if (count == 0) return values;
  TASKMILL_TRY(device.copy({reinterpret_cast<uint64_t>(values.data()), address, count * sizeof(T), CopyKind::kDeviceToHost}, Handle{}));
  return values;
}

bool fits(const TraceHeader& header, uint64_t region_bytes) {
  return header.magic == wire::kTraceMagic && header.version == wire::kTraceVersion &&
         wire::trace_region_bytes(header.lane_count, header.records_per_lane) <= region_bytes;
}

// Lanes: cores, then scheduler threads, then the orchestrator.
std::string lane_name(uint32_t lane, uint32_t lanes, uint32_t clusters) {
  const uint32_t cores = 3 * clusters;
  if (lane < cores) return tmr::core_name(lane, clusters);
  return lane + 1 == lanes ? std::string("Orchestrator") : fmt::format("Scheduler {}", lane - cores);
}

std::string span_name(const SpanRecord& record, const TraceNames& names) {
  if (record.kind == wire::SpanKind::kOrchestration) return "orchestration";
  if (record.kind == wire::SpanKind::kBlocked) return "waits for room";
  const auto known = names.kernels.find(record.kernel_id);
  return known != names.kernels.end() ? known->second : fmt::format("kernel {}", record.kernel_id);
}

}  // namespace

Result<uint64_t> collect_trace(Device& device, DeviceAddress region, uint64_t region_bytes, const TraceNames& names,
                               const std::function<void(const Span&)>& each) {
  TASKMILL_ASSIGN(const std::vector<TraceHeader> headers, read<TraceHeader>(device, region, 1));
  const TraceHeader& header = headers[0];
  if (!fits(header, region_bytes)) return fail(ErrorCode::kDeviceFault, "the run left no readable trace: its header was overwritten");
  TASKMILL_ASSIGN(const std::vector<TraceLane> lanes, read<TraceLane>(device, region + sizeof(TraceHeader), header.lane_count));
  const DeviceAddress records = region + wire::trace_region_bytes(header.lane_count, 0);
  uint64_t dropped = 0;
  for (uint32_t lane = 0; lane < header.lane_count; ++lane) {
    const uint64_t written = std::min<uint64_t>(lanes[lane].written, header.records_per_lane);
    const DeviceAddress first = records + uint64_t{lane} * header.records_per_lane * sizeof(SpanRecord);
    TASKMILL_ASSIGN(const std::vector<SpanRecord> spans, read<SpanRecord>(device, first, written));
    const std::string where = lane_name(lane, header.lane_count, names.clusters);
    for (const SpanRecord& span : spans) each({span.start_ns, span.end_ns, where, span_name(span, names), span.task});
    dropped += lanes[lane].dropped;
  }
  if (dropped != 0) log::warn(fmt::format("the trace dropped {}: raise trace_records_per_lane", text::counted(dropped, "span")));
  return dropped;
}

}  // namespace taskmill::diag
