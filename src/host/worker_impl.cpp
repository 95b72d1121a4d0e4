#include "host/worker_impl.h"

#include <fmt/format.h>

#include "arch/find.h"
#include "diag/trace_collector.h"
#include "host/platform.h"
#include "host/run_arguments.h"
#include "host/run_sizes.h"
#include "support/file.h"
#include "support/text.h"
#include "variant/tmr/host/error_text.h"

namespace taskmill {
namespace {

static_assert(kRingSets == wire::kRings);

RoomReport room_report(const wire::RoomUse& use) { return {use.peak, use.size, use.enough}; }

RingReport ring_report(const wire::RingUse& use) {
  return {room_report(use.tasks), room_report(use.argument_lines), room_report(use.heap_bytes), room_report(use.edge_nodes)};
}

}  // namespace

Worker::Impl::Impl(std::unique_ptr<Device> device, toolchain::Compiler compiler)
    : info_(device->info()), device_(std::move(device)), compiler_(std::move(compiler)), registry_(*device_, compiler_) {}

Result<std::unique_ptr<Worker::Impl>> Worker::Impl::open(const WorkerOptions& options) {
  TASKMILL_ASSIGN(const Home home, find_home(options.home));
  TASKMILL_ASSIGN(toolchain::Compiler compiler, toolchain::Compiler::open(home, options.cache_directory));
  TASKMILL_ASSIGN(std::unique_ptr<Device> device, options.open_device ? options.open_device(options.platform, options.device_id)
                                                                      : open_platform(options.platform, options.device_id));
  if (device == nullptr) return fail(ErrorCode::kInvalidArgument, "open_device gave no device");
  std::unique_ptr<Impl> impl(new Impl(std::move(device), std::move(compiler)));
  TASKMILL_TRY(impl->load_programs(home));
  return impl;
}

Result<void> Worker::Impl::load_program(const Home& home, ImageKind kind, const char* name, const char* arch, Handle* handle) {
  const std::filesystem::path path = home.device_program(name, arch);
  TASKMILL_ASSIGN(const std::string bytes, read_file(path));
  TASKMILL_ASSIGN(const LoadedImage loaded, device_->load({kind, std::as_bytes(std::span(bytes)), path.filename().string(), {}}));
  program_images_.emplace_back(*device_, loaded.handle);
  *handle = loaded.handle;
  return {};
}

Result<void> Worker::Impl::load_programs(const Home& home) {
  const arch::ChipTraits* chip = arch::find(static_cast<arch::ArchId>(info_.arch));
  if (chip == nullptr)
    return fail(ErrorCode::kUnsupported, fmt::format("platform \"{}\" has an unknown arch {}", info_.platform, info_.arch));
  tmr::Programs programs;
  TASKMILL_TRY(load_program(home, ImageKind::kAicpuProgram, "aicpu", chip->name, &programs.aicpu));
  TASKMILL_TRY(load_program(home, ImageKind::kAicoreProgram, "aicore", chip->name, &programs.aicore));
  TASKMILL_ASSIGN(slot_, tmr::RunSlot::open(*device_, programs));
  return {};
}

// A quarantined slot calls its device no more, and queued copies may read its memory until the device is gone.
void Worker::Impl::close() {
  std::unique_ptr<tmr::RunSlot> quarantined;
  if (slot_ != nullptr && !slot_->usable()) quarantined = std::move(slot_);
  slot_.reset();
  registry_.clear();
  program_images_.clear();
  allocations_.clear();
  device_.reset();
}

Result<void> Worker::Impl::require_usable(const char* call) const {
  if (!is_open()) return fail(ErrorCode::kClosed, fmt::format("{}: the worker was closed", call));
  Result<void> usable = device_->health();
  if (usable) usable = slot_->usable();
  if (usable) return {};
  return fail(ErrorCode::kDeviceLost,
              fmt::format("{}: this worker's device is lost ({}); close it and open a new worker", call, usable.error().message));
}

Result<tmr::RunBindings> Worker::Impl::prepare(const Callable& callable, std::span<const Argument> arguments, const RunConfig& config) {
  TASKMILL_ASSIGN(RunArguments checked, check_run_arguments(callable.spec, arguments, allocations_));
  tmr::RunInputs inputs;
  TASKMILL_ASSIGN(inputs.sizes, graph_sizes(config));
  inputs.tensors = std::move(checked.tensors);
  inputs.scalars = std::move(checked.scalars);
  inputs.functions = callable.functions;
  inputs.orchestration_run = callable.orchestration_run;
  inputs.orchestration_entry = callable.orchestration_entry;
  inputs.rules = callable.spec.dependency_rules;
  inputs.kernel_limit_ns = config.kernel_limit_ns.value_or(kDefaultKernelLimitNs);
  inputs.stall_limit_ns = config.stall_limit_ns.value_or(kDefaultStallLimitNs);
  if (config.trace)
    inputs.trace_records_per_lane = config.trace_records_per_lane != 0 ? config.trace_records_per_lane : kDefaultTraceRecords;
  return tmr::bind_run(*slot_, inputs);
}

Result<RunReport> Worker::Impl::run(const CallableId& id, std::span<const Argument> arguments, const RunConfig& config) {
  TASKMILL_ASSIGN(const Callable* callable, registry_.find(id));
  RunReport report;
  PhaseSpans phases(*slot_, config.trace);
  const Stopwatch watch;
  TASKMILL_ASSIGN(tmr::RunBindings run, prepare(*callable, arguments, config));
  report.prepare_ns = watch.elapsed_ns();
  phases.mark("prepare");
  Result<void> carried_out = carry_out(*callable, run, phases, &report);
  Result<void> released = tmr::release_run_bindings(*slot_, run);
  TASKMILL_TRY(std::move(carried_out));
  TASKMILL_TRY(std::move(released));
  phases.move_to(&report.spans);
  return report;
}

Result<void> Worker::Impl::carry_out(const Callable& callable, tmr::RunBindings& run, PhaseSpans& phases, RunReport* report) {
  const Stopwatch copy_in;
  TASKMILL_ASSIGN(report->copied_in_bytes, tmr::copy_in_run_inputs(*slot_, run));
  report->copy_in_ns = copy_in.elapsed_ns();
  phases.mark("copy_in");

  const Stopwatch execution;
  bool launched = false;
  Result<void> executed = execute(callable, run, &launched, report);
  report->execute_ns = execution.elapsed_ns();
  phases.mark("execute");

  const Stopwatch copy_back;
  Result<uint64_t> copied = tmr::copy_back_run_outputs(*slot_, run, executed.has_value(), launched);
  report->copy_back_ns = copy_back.elapsed_ns();
  phases.mark("copy_back");
  TASKMILL_TRY(std::move(executed));
  TASKMILL_ASSIGN(report->copied_back_bytes, std::move(copied));
  return read_trace(callable, report);
}

Result<void> Worker::Impl::execute(const Callable& callable, tmr::RunBindings& run, bool* launched, RunReport* report) {
  TASKMILL_TRY(tmr::launch_run(*slot_, run));
  *launched = true;
  TASKMILL_ASSIGN(const std::optional<wire::ResultBlock> result, tmr::wait_run(*slot_, run));
  if (!result) return {};
  if (result->error.code != 0) {
    const tmr::RunNames names = {callable.spec.name, callable.kernel_names, info_.clusters};
    return fail(static_cast<ErrorCode>(result->error.code), tmr::error_text(*result, names));
  }
  report->tasks = result->completed;
  for (uint32_t ring = 0; ring < kRingSets; ++ring) report->rings[ring] = ring_report(result->rings[ring]);
  return {};
}

Result<void> Worker::Impl::read_trace(const Callable& callable, RunReport* report) {
  const wire::LaunchBlock& launch = slot_->image().launch;
  if (launch.trace == 0) return {};
  const diag::TraceNames names = {info_.clusters, callable.kernel_names};
  TASKMILL_ASSIGN(report->dropped_spans,
                  diag::collect_trace(*device_, launch.trace, launch.trace_bytes, names, [&](const diag::Span& span) {
                    report->spans.push_back({span.start_ns, span.end_ns, std::string(span.lane), std::string(span.name), span.task});
                  }));
  return {};
}

Result<DeviceAddress> Worker::Impl::malloc(uint64_t bytes) {
  TASKMILL_ASSIGN(const DeviceAddress address, device_->allocate(bytes));
  allocations_.add(address, bytes);
  return address;
}

Result<void> Worker::Impl::free(DeviceAddress address) {
  if (!allocations_.is_base(address)) {
    return fail(ErrorCode::kNotADeviceAddress, fmt::format("free: {:#x} is not the start of a live allocation of this worker", address));
  }
  TASKMILL_TRY(device_->release(address));
  allocations_.remove(address);
  return {};
}

Result<void> Worker::Impl::copy_to(DeviceAddress destination, const void* source, uint64_t bytes) {
  TASKMILL_TRY(allocations_.require("copy_to: destination", destination, bytes));
  if (bytes == 0) return {};
  if (source == nullptr) return fail(ErrorCode::kInvalidArgument, "copy_to: the source is a null pointer");
  return device_->copy({destination, reinterpret_cast<uint64_t>(source), bytes, CopyKind::kHostToDevice}, Handle{});
}

Result<void> Worker::Impl::copy_from(void* destination, DeviceAddress source, uint64_t bytes) {
  TASKMILL_TRY(allocations_.require("copy_from: source", source, bytes));
  if (bytes == 0) return {};
  if (destination == nullptr) return fail(ErrorCode::kInvalidArgument, "copy_from: the destination is a null pointer");
  return device_->copy({reinterpret_cast<uint64_t>(destination), source, bytes, CopyKind::kDeviceToHost}, Handle{});
}

}  // namespace taskmill
