#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string>

#include "bindings.h"
#include "taskmill/host.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace taskmill::python {
namespace {

void bind_config(nb::module_& module) {
  nb::class_<RunConfig>(module, "RunConfig", "How one run is carried out. 0 or None: the default of each field.")
      .def(
          "__init__",
          [](RunConfig* self, uint32_t task_window, uint64_t heap_bytes, uint32_t edge_nodes, uint32_t argument_lines,
             std::optional<uint64_t> kernel_limit_ns, std::optional<uint64_t> stall_limit_ns, bool trace, uint32_t trace_records_per_lane) {
            new (self) RunConfig{task_window,     heap_bytes,     edge_nodes, argument_lines,
                                 kernel_limit_ns, stall_limit_ns, trace,      trace_records_per_lane};
          },
          nb::kw_only(), "task_window"_a = 0, "heap_bytes"_a = 0, "edge_nodes"_a = 0, "argument_lines"_a = 0,
          "kernel_limit_ns"_a = nb::none(), "stall_limit_ns"_a = nb::none(), "trace"_a = false, "trace_records_per_lane"_a = 0)
      .def_rw("task_window", &RunConfig::task_window, "Task slots: a power of two, at least 4; default 16,384.")
      .def_rw("heap_bytes", &RunConfig::heap_bytes, "Bytes of the output heap; default 256 MiB.")
      .def_rw("edge_nodes", &RunConfig::edge_nodes, "Overflow edges, at least 4; default 16,384.")
      .def_rw("argument_lines", &RunConfig::argument_lines, "64-byte argument lines; default 16 per task slot.")
      .def_rw("kernel_limit_ns", &RunConfig::kernel_limit_ns, "Longest run of one kernel; None: 45 s; 0: no limit.")
      .def_rw("stall_limit_ns", &RunConfig::stall_limit_ns, "Longest time without progress; None: 10 s; 0: no limit.")
      .def_rw("trace", &RunConfig::trace, "Record the timeline into RunReport.spans.")
      .def_rw("trace_records_per_lane", &RunConfig::trace_records_per_lane, "Room for spans of one core; default 8,192.");
}

void bind_spans(nb::module_& module) {
  nb::class_<TraceSpan>(module, "TraceSpan", "A span of the timeline, in ns on the device's clock.")
      .def_ro("start_ns", &TraceSpan::start_ns)
      .def_ro("end_ns", &TraceSpan::end_ns)
      .def_ro("lane", &TraceSpan::lane)
      .def_ro("name", &TraceSpan::name)
      .def_ro("task", &TraceSpan::task);
}

void bind_report(nb::module_& module) {
  nb::class_<RingUse>(module, "RingUse", "Most that was in use at a time, and the size of the ring.")
      .def_ro("peak", &RingUse::peak)
      .def_ro("size", &RingUse::size);
  nb::class_<RunReport>(module, "RunReport", "What a run did and how long its phases took.")
      .def_ro("tasks", &RunReport::tasks)
      .def_ro("prepare_ns", &RunReport::prepare_ns)
      .def_ro("copy_in_ns", &RunReport::copy_in_ns)
      .def_ro("execute_ns", &RunReport::execute_ns)
      .def_ro("copy_back_ns", &RunReport::copy_back_ns)
      .def_ro("copied_in_bytes", &RunReport::copied_in_bytes)
      .def_ro("copied_back_bytes", &RunReport::copied_back_bytes)
      .def_ro("task_slots", &RunReport::task_slots)
      .def_ro("argument_lines", &RunReport::argument_lines)
      .def_ro("heap_bytes", &RunReport::heap_bytes)
      .def_ro("edge_nodes", &RunReport::edge_nodes)
      .def_ro("spans", &RunReport::spans)
      .def_ro("dropped_spans", &RunReport::dropped_spans)
      .def(
          "write_trace",
          [](const RunReport& self, const std::filesystem::path& file) {
            without_gil([&] { return write_trace(file, self.spans, self.dropped_spans); });
          },
          "file"_a, "Writes the spans as Chrome trace JSON, which Perfetto opens.");
}

void bind_device(nb::module_& module) {
  nb::class_<DeviceInfo>(module, "DeviceInfo", "What a device is.")
      .def_ro("platform", &DeviceInfo::platform)
      .def_ro("clusters", &DeviceInfo::clusters)
      .def_ro("cores", &DeviceInfo::cores)
      .def_ro("aicpu_threads", &DeviceInfo::aicpu_threads)
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes);
  nb::class_<DeviceStatistics>(module, "DeviceStatistics", "What a device holds now and what it has done so far.")
      .def_ro("live_allocations", &DeviceStatistics::live_allocations)
      .def_ro("live_bytes", &DeviceStatistics::live_bytes)
      .def_ro("peak_bytes", &DeviceStatistics::peak_bytes)
      .def_ro("copies", &DeviceStatistics::copies)
      .def_ro("copied_bytes", &DeviceStatistics::copied_bytes)
      .def_ro("threads", &DeviceStatistics::threads)
      .def_ro("threads_peak", &DeviceStatistics::threads_peak);
}

}  // namespace

void bind_reports(nb::module_& module) {
  bind_config(module);
  bind_spans(module);
  bind_report(module);
  bind_device(module);
}

}  // namespace taskmill::python
