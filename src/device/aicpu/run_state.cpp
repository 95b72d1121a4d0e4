#include "device/aicpu/run_state.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "device/aicpu/error_report.h"
#include "trace/trace.h"
#include "wire/token.h"

namespace taskmill::aicpu {
namespace {

using wire::LaunchBlock;
using wire::Reason;

uint32_t core_count(const LaunchBlock& launch) { return 3 * launch.clusters; }
uint32_t lane_count(const LaunchBlock& launch) { return core_count(launch) + launch.scheduler_threads + 1; }

wire::RunError bad_launch(Reason reason, uint64_t needed, uint64_t available, const char* message) {
  wire::RunError error = make_error(ErrorCode::kBadLaunchBlock, reason);
  error.needed = needed;
  error.available = available;
  set_message(&error, message);
  return error;
}

constexpr wire::RunError kGood = {};

wire::RunError check_region(const LaunchBlock& launch) {
  const uint64_t needed = region_bytes(core_count(launch), launch.entry_tensor_count, launch.sizes);
  if (needed == 0) return bad_launch(Reason::kLaunchRegion, 0, launch.region_bytes, "ring sizes or entry tensors are out of range");
  if (launch.region % kCacheLineBytes != 0) {
    return bad_launch(Reason::kLaunchRegion, needed, launch.region_bytes, "the run region is not aligned to a cache line");
  }
  if (launch.region_bytes < needed) return bad_launch(Reason::kLaunchRegion, needed, launch.region_bytes, "the run region is too small");
  const uint64_t trace_bytes = wire::trace_region_bytes(lane_count(launch), 0);
  if (launch.trace != 0 && launch.trace_bytes < trace_bytes) {
    return bad_launch(Reason::kLaunchRegion, trace_bytes, launch.trace_bytes, "the trace region is too small");
  }
  return kGood;
}

wire::RunError check(const LaunchBlock& launch, const arch::ChipTraits& chip) {
  if (launch.version != wire::kLaunchVersion) return bad_launch(Reason::kLaunchVersion, launch.version, wire::kLaunchVersion, "");
  if (launch.arch != static_cast<uint32_t>(chip.id)) {
    return bad_launch(Reason::kLaunchArch, launch.arch, static_cast<uint32_t>(chip.id), "");
  }
  if (launch.clusters == 0 || launch.clusters > chip.clusters) {
    return bad_launch(Reason::kLaunchShape, launch.clusters, chip.clusters, "clusters");
  }
  if (launch.scheduler_threads == 0 || launch.scheduler_threads > kSchedulersDriven) {
    return bad_launch(Reason::kLaunchShape, launch.scheduler_threads, kSchedulersDriven, "scheduler threads");
  }
  if (static_cast<uint32_t>(launch.rules) >= kDependencyRules) {
    return bad_launch(Reason::kLaunchRules, static_cast<uint32_t>(launch.rules), kDependencyRules, "");
  }
  return check_region(launch);
}

// The host may look at the result word at any time, and at the rest once it has seen the word.
void publish_result(const LaunchBlock& launch, const wire::ResultBlock& result) {
  constexpr size_t kWord = sizeof result.run_serial;
  static_assert(offsetof(wire::ResultBlock, run_serial) == 0);
  std::memcpy(reinterpret_cast<std::byte*>(launch.result) + kWord, reinterpret_cast<const std::byte*>(&result) + kWord,
              sizeof result - kWord);
  std::atomic_ref(*reinterpret_cast<uint64_t*>(launch.result)).store(launch.run_serial, std::memory_order_release);
}

// The cores of a refused launch have started or will: without a word of this run they would wait for ever.
void refuse(const LaunchBlock& launch, const wire::RunError& error) {
  wire::ResultBlock result = {};
  result.error = error;
  publish_result(launch, result);
  if (error.reason == Reason::kLaunchVersion || core_count(launch) > CoreMask::kCapacity) return;
  const uint32_t token = wire::make_token(wire::run_generation(launch.run_serial), wire::kExitSequence);
  for (uint32_t core = 0; core < core_count(launch); ++core) launch.core_port->dispatch(launch.core_port->context, core, token);
}

void init_mailboxes(const LaunchBlock& launch) {
  const auto mailboxes = reinterpret_cast<wire::CoreMailbox*>(launch.region);
  for (uint32_t core = 0; core < core_count(launch); ++core) mailboxes[core] = {};
  launch.core_port->publish(launch.core_port->context, mailboxes, wire::mailbox_offset(core_count(launch)));
}

void init_trace(const LaunchBlock& launch) {
  if (launch.trace == 0) return;
  const uint32_t lanes = lane_count(launch);
  const uint64_t record_bytes = launch.trace_bytes - wire::trace_region_bytes(lanes, 0);
  trace::init_region(launch.trace, lanes, static_cast<uint32_t>(record_bytes / sizeof(wire::SpanRecord) / lanes));
}

}  // namespace

RunState& RunState::of(const LaunchBlock& launch) {
  const uint64_t end = (launch.region + launch.region_bytes) & ~uint64_t{kCacheLineBytes - 1};
  return *reinterpret_cast<RunState*>(end - sizeof(RunState));
}

RunLayout RunLayout::make(uint32_t cores, uint32_t entry_tensors, const wire::GraphSizes& sizes) {
  RunLayout layout;
  layout.graph = graph::RegionLayout::make(cores, entry_tensors, sizes);
  layout.valid = layout.graph.valid && checked_add(layout.graph.bytes, sizeof(RunState), &layout.bytes);
  return layout;
}

uint64_t region_bytes(uint32_t cores, uint32_t entry_tensors, const wire::GraphSizes& sizes) {
  const RunLayout layout = RunLayout::make(cores, entry_tensors, sizes);
  return layout.valid ? layout.bytes : 0;
}

int32_t init_run(const LaunchBlock& launch, const arch::ChipTraits& chip, uint32_t first_sequence) {
  const wire::RunError error = check(launch, chip);
  if (error.code != 0) {
    refuse(launch, error);
    return error.code;
  }
  init_mailboxes(launch);
  init_trace(launch);
  const RunLayout layout = RunLayout::make(core_count(launch), launch.entry_tensor_count, launch.sizes);
  auto& state = *new (&RunState::of(launch)) RunState;
  state.shared.launch = &launch;
  state.shared.graph = graph::GraphRegion::at(launch.region, layout.graph);
  state.shared.schedulers = launch.scheduler_threads;
  for (uint32_t i = 0; i < launch.scheduler_threads; ++i) state.schedulers[i].init(&state.shared, i, first_sequence);
  state.orchestrator.init(&state.shared);
  return 0;
}

// An orchestration that was given up may still run: its counts and peaks are not looked at.
void write_result(const LaunchBlock& launch) {
  RunState& state = RunState::of(launch);
  const bool ended = state.shared.end.reached();
  wire::ResultBlock result = {};
  result.submitted = ended ? state.shared.end.submitted() - state.orchestrator.groups() : wire::kSubmittedUnknown;
  for (uint32_t i = 0; i < state.shared.schedulers; ++i) {
    result.completed += state.schedulers[i].completed();
    result.stuck_cores |= state.schedulers[i].stuck_cores();
  }
  if (const wire::RunError* error = state.shared.error.raised()) result.error = *error;
  for (uint32_t ring = 0; ended && ring < wire::kRings; ++ring) result.rings[ring] = state.orchestrator.ring_use(ring);
  publish_result(launch, result);
}

}  // namespace taskmill::aicpu
