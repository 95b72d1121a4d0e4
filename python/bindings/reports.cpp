#include <nanobind/stl/array.h>
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

// A field that holds a number per set of rings.
struct RingField {
  const char* name;
  PerRing RunConfig::*member;
  const char* doc;
};

constexpr RingField kRingFields[] = {
    {"task_window", &RunConfig::task_window, "Task slots: a power of two, at least 4; default 16,384. One number, or a list of 4."},
    {"heap_bytes", &RunConfig::heap_bytes, "Bytes of the output heap, a multiple of 1,024; default 256 MiB. One number, or a list of 4."},
    {"edge_nodes", &RunConfig::edge_nodes, "Overflow edges, at least 4; default 16,384. One number, or a list of 4."},
    {"argument_lines", &RunConfig::argument_lines, "64-byte argument lines; default 16 per task slot. One number, or a list of 4."},
};

[[noreturn]] void refuse_ring_value(const RingField& field, nb::handle value) {
  throw HostError{
      {ErrorCode::kInvalidArgument, std::string(field.name) + " is " + nb::repr(value).c_str() +
                                        ", it must be a number from 0, or a list of 4: for scope depths 0, 1, 2, and 3 and deeper"}};
}

// `number`, an int or what numpy counts with, is `value` or one of its four.
uint64_t ring_number(const RingField& field, nb::handle value, nb::handle number) {
  uint64_t result = 0;
  const nb::object index = nb::steal(nb::isinstance<nb::bool_>(number) ? nullptr : PyNumber_Index(number.ptr()));
  PyErr_Clear();
  if (!index.is_valid() || !nb::try_cast<uint64_t>(index, result)) refuse_ring_value(field, value);
  return result;
}

PerRing per_ring(const RingField& field, nb::handle value) {
  if (!nb::isinstance<nb::list>(value) && !nb::isinstance<nb::tuple>(value)) return ring_number(field, value, value);
  if (nb::len(value) != kRingSets) refuse_ring_value(field, value);
  PerRing numbers;
  for (uint32_t ring = 0; ring < kRingSets; ++ring) numbers[ring] = ring_number(field, value, nb::object(value[ring]));
  return numbers;
}

std::vector<uint64_t> list_of(const PerRing& numbers) { return {numbers[0], numbers[1], numbers[2], numbers[3]}; }

void bind_config(nb::module_& module) {
  nb::class_<RunConfig> config(
      module, "RunConfig",
      "How one run is carried out. 0 or None: the default of each field. A run has four sets of rings, for the tasks that are submitted "
      "at scope depth 0, 1, 2, and 3 or deeper: a field is one number for all four, or a list of 4. What cannot be used raises "
      "ArgumentError: here if it is no number, in the run if it is out of range.");
  config.def(
      "__init__",
      [](RunConfig* self, const nb::object& task_window, const nb::object& heap_bytes, const nb::object& edge_nodes,
         const nb::object& argument_lines, std::optional<uint64_t> kernel_limit_ns, std::optional<uint64_t> stall_limit_ns, bool trace,
         uint32_t trace_records_per_lane) {
        new (self) RunConfig{per_ring(kRingFields[0], task_window),
                             per_ring(kRingFields[1], heap_bytes),
                             per_ring(kRingFields[2], edge_nodes),
                             per_ring(kRingFields[3], argument_lines),
                             kernel_limit_ns,
                             stall_limit_ns,
                             trace,
                             trace_records_per_lane};
      },
      nb::kw_only(), "task_window"_a.none() = 0, "heap_bytes"_a.none() = 0, "edge_nodes"_a.none() = 0, "argument_lines"_a.none() = 0,
      "kernel_limit_ns"_a = nb::none(), "stall_limit_ns"_a = nb::none(), "trace"_a = false, "trace_records_per_lane"_a = 0);
  for (const RingField& field : kRingFields) {
    config.def_prop_rw(
        field.name, [&field](const RunConfig& self) { return list_of(self.*field.member); },
        [&field](RunConfig& self, const nb::object& value) { self.*field.member = per_ring(field, value); },
        nb::for_setter("value"_a.none()), field.doc);
  }
  config.def_rw("kernel_limit_ns", &RunConfig::kernel_limit_ns, "Longest run of one kernel, in ns; None: 45 s; 0: no limit.")
      .def_rw("stall_limit_ns", &RunConfig::stall_limit_ns,
              "Longest time without a completion and without a kernel on a core, in ns; None: 10 s; 0: no limit.")
      .def_rw("trace", &RunConfig::trace, "Record the timeline into RunReport.spans.")
      .def_rw("trace_records_per_lane", &RunConfig::trace_records_per_lane, "Room for spans of one core; default 8,192.");
}

void bind_spans(nb::module_& module) {
  nb::class_<TraceSpan>(module, "TraceSpan", "A span of the timeline, in ns on the device's clock.")
      .def_ro("start_ns", &TraceSpan::start_ns, "When it began.")
      .def_ro("end_ns", &TraceSpan::end_ns, "When it ended.")
      .def_ro("lane", &TraceSpan::lane, "\"AIC 3\", \"AIV 17\", \"Orchestrator\" or \"Host\".")
      .def_ro("name", &TraceSpan::name, "Kernel or phase.")
      .def_ro("task", &TraceSpan::task, "Of a kernel: which task of its scope depth it ran, in the order of submits.");
}

void bind_rings(nb::module_& module) {
  nb::class_<RoomReport>(module, "RoomReport",
                         "Most that was in use at a time, of how much; a run whose ring has the size ``enough`` ends too, if more slowly.")
      .def_ro("peak", &RoomReport::peak, "Most in use at a time.")
      .def_ro("size", &RoomReport::size, "What there was.")
      .def_ro("enough", &RoomReport::enough, "What would have been enough.");
  nb::class_<RingReport>(module, "RingReport", "Use of the rings of one scope depth.")
      .def_ro("task_slots", &RingReport::task_slots, "peak and size are usable slots, one less than the window; enough is a task_window.")
      .def_ro("argument_lines", &RingReport::argument_lines, "In 64-byte lines.")
      .def_ro("heap_bytes", &RingReport::heap_bytes, "In bytes of the output heap.")
      .def_ro("edge_nodes", &RingReport::edge_nodes, "In overflow edges.");
}

void bind_report(nb::module_& module) {
  nb::class_<RunReport>(module, "RunReport", "What a run did and how long its phases took.")
      .def_ro("tasks", &RunReport::tasks, "Tasks that completed: all that were submitted.")
      .def_ro("prepare_ns", &RunReport::prepare_ns, "Checking the arguments and laying out the run, in ns on the host's clock.")
      .def_ro("copy_in_ns", &RunReport::copy_in_ns, "Copying inputs to the device, in ns.")
      .def_ro("execute_ns", &RunReport::execute_ns, "From the launch to the last task's end, in ns.")
      .def_ro("copy_back_ns", &RunReport::copy_back_ns, "Copying outputs to the host, in ns.")
      .def_ro("copied_in_bytes", &RunReport::copied_in_bytes, "Bytes copied to the device; memory given twice counts once.")
      .def_ro("copied_back_bytes", &RunReport::copied_back_bytes, "Bytes copied back.")
      .def_ro("rings", &RunReport::rings, "A RingReport for each scope depth: 0, 1, 2, and 3 with all deeper.")
      .def_ro("spans", &RunReport::spans, "The timeline, with ``RunConfig(trace=True)``; else empty.")
      .def_ro("dropped_spans", &RunReport::dropped_spans, "Spans that found no room in ``trace_records_per_lane``.")
      .def(
          "write_trace",
          [](const RunReport& self, const std::filesystem::path& file) {
            without_gil([&] { return write_trace(file, self.spans, self.dropped_spans); });
          },
          "file"_a, "Writes the spans as Chrome trace JSON, which Perfetto opens. Raises LoadError if the file cannot be written.");
}

void bind_device(nb::module_& module) {
  nb::class_<DeviceInfo>(module, "DeviceInfo", "What a device is.")
      .def_ro("platform", &DeviceInfo::platform, "As given to the worker.")
      .def_ro("clusters", &DeviceInfo::clusters, "Each of one cube core (AIC) and two vector cores (AIV).")
      .def_ro("cores", &DeviceInfo::cores, "AIC and AIV, three per cluster.")
      .def_ro("aicpu_threads", &DeviceInfo::aicpu_threads, "Most threads of a launch on the control processors.")
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes, "Bytes of device memory.");
  nb::class_<DeviceStatistics>(module, "DeviceStatistics", "What a device holds now and what it has done so far.")
      .def_ro("live_allocations", &DeviceStatistics::live_allocations, "Allocations that were not freed, the runtime's own included.")
      .def_ro("live_bytes", &DeviceStatistics::live_bytes, "Bytes of them.")
      .def_ro("peak_bytes", &DeviceStatistics::peak_bytes, "Most ``live_bytes`` so far.")
      .def_ro("copies", &DeviceStatistics::copies, "Copies so far.")
      .def_ro("copied_bytes", &DeviceStatistics::copied_bytes, "Bytes that they moved.")
      .def_ro("threads", &DeviceStatistics::threads, "The driver's own threads now.")
      .def_ro("threads_peak", &DeviceStatistics::threads_peak, "Most of them at a time.");
}

}  // namespace

void bind_reports(nb::module_& module) {
  bind_config(module);
  bind_spans(module);
  bind_rings(module);
  bind_report(module);
  bind_device(module);
}

}  // namespace taskmill::python
