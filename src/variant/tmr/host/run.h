// One run, step by step. Each step is an entry of its own, since each ends a lifetime of its own:
//
//   bind_run -> copy_in_run_inputs -> launch_run -> wait_run -> copy_back_run_outputs -> release_run_bindings
//
// A run that fails before its launch goes straight to copy_back (launched = false) and release.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "variant/tmr/host/entry_argument.h"
#include "variant/tmr/host/lease.h"
#include "variant/tmr/host/run_slot.h"
#include "wire/run_error.h"

namespace taskmill::tmr {

struct RunInputs {
  std::vector<EntryArgument> tensors;
  std::vector<uint64_t> scalars;
  std::vector<uint64_t> functions;  // kernel entry addresses by id, 0 where there is none
  uint64_t orchestration_run = 0;
  uint64_t orchestration_entry = 0;
  DependencyRules rules = DependencyRules::kNative;
  wire::GraphSizes sizes = {};  // legal (graph::RegionLayout)
  uint64_t kernel_limit_ns = 0;
  uint64_t stall_limit_ns = 0;
  uint32_t trace_records_per_lane = 0;  // 0: no trace
};

// What one run holds. Movable; release_run_bindings empties it.
struct RunBindings {
  uint64_t serial = 0;  // spent by a launch that goes in; the next bind gives the same otherwise
  std::vector<TensorLease> leases;
  // The device may still write to the leases and nobody could prove that it does not: they stay until the device goes. The slot
  // takes no other run.
  bool quarantined = false;
};

// Finds roots, allocates the leases, lays the image out and commits it last. Copies no input byte. On failure nothing is held
// and the slot's image is byte for byte what it was. DeviceLost after a quarantined run.
Result<RunBindings> bind_run(RunSlot& slot, const RunInputs& inputs);

// Exactly one host-to-device copy for each lease with needs_copy_in; the first failure ends it. Returns the bytes copied.
Result<uint64_t> copy_in_run_inputs(const RunSlot& slot, const RunBindings& run);

// AICore first, then AICPU, an event behind each. If only a part went in, what went in is made to leave; without proof that it
// did the run is quarantined.
Result<void> launch_run(RunSlot& slot, RunBindings& run);

// Waits for the run's own two events and its own result word. A value: the device program ended and wrote this; its error
// field tells how. An error: the device failed beneath it, and what may still run was made to leave. Stuck kernels: the device is
// abandoned and lost. Where that is not possible, the run is quarantined. Nothing on a device that runs no programs.
Result<std::optional<wire::ResultBlock>> wait_run(RunSlot& slot, RunBindings& run);

// One device-to-host copy for each lease with needs_copy_back, if the run was launched and succeeded; else no device access at
// all. Returns the bytes copied.
Result<uint64_t> copy_back_run_outputs(const RunSlot& slot, const RunBindings& run, bool succeeded, bool launched);

// Gives the leases up. Every lease is tried; the first failure is told.
Result<void> release_run_bindings(const RunSlot& slot, RunBindings& run);

// For a run that may be on the device in part: makes cores that wait for a dispatch leave, by the exit word on the helper stream,
// waits a bounded time for the streams, and gives the run up if that does not help.
void cancel_run(RunSlot& slot, RunBindings& run);

// Abandons the device. Where that is not possible, the run is quarantined.
void give_up_run(RunSlot& slot, RunBindings& run, const std::string& reason);

}  // namespace taskmill::tmr
