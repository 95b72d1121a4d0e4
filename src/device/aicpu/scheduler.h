// One scheduler thread: takes in what its cores report, releases the consumers of what ended, and keeps the cores busy. A
// pass is a list of phases and never blocks. Whatever happens during or after a pass makes the executor run another: a core
// reports, the orchestrator notifies after each hand-over, an error or its end, or the watchdog's timer fires. So a pass
// that finds nothing may return kIdle without a look back.
#pragma once

#include <cstdint>

#include "device/aicpu/core_table.h"
#include "device/aicpu/shared_state.h"
#include "device/aicpu/watchdog.h"
#include "wire/mailbox.h"
#include "wire/program.h"

namespace taskmill::aicpu {

class Scheduler {
 public:
  // `first_sequence`: see CoreTable.
  void init(SharedState* shared, uint32_t thread, uint32_t first_sequence);

  // AicpuEntry::scheduler_step. kDone: every core that can take it has been told to leave, and no task will complete any
  // more; the caller writes the result.
  wire::Step pass();

  CoreMask stuck_cores() const { return cores_.stuck(); }
  // Tasks of the orchestration.
  uint64_t completed() const { return completed_ - completed_groups_; }

 private:
  // ---- phases; true: something was done
  bool collect_completions();
  bool release_consumers();
  bool take_inbox();
  bool complete_orders();
  bool dispatch_ready();
  bool watch();
  bool finish();

  // ---- their parts
  bool observe(uint32_t core);
  void take_trap(uint32_t core);
  void take_finished(uint32_t core, const Flight& flight);
  bool dispatch_type(CoreType type);
  void dispatch(const Placement& placement, uint32_t slot);
  void report_overdue(CoreMask overdue, uint64_t now_ns);
  void take_stall(uint64_t stalled_ns, uint64_t now_ns);
  wire::RunError stall_error(uint64_t stalled_ns) const;
  void send_exits();
  wire::RunError error_at(ErrorCode code, wire::Reason reason, uint32_t core, const Flight& flight) const;
  wire::CoreMailbox& mailbox(uint32_t core) const;
  const wire::CompletionSlab& read_slab(uint32_t core, uint32_t sequence) const;
  graph::ReadyList& ready(CoreType type) { return ready_[static_cast<uint32_t>(type)]; }
  // Takes in a task that has become ready.
  void enqueue(uint32_t slot);
  void publish_completed();

  SharedState* shared_ = nullptr;
  uint32_t thread_ = 0;
  uint32_t passes_ = 0;
  bool failed_ = false;   // the run's error was seen: nothing is dispatched any more
  bool gave_up_ = false;  // a failed run stalled: the orchestration is not waited for
  uint64_t completed_ = 0;
  uint64_t completed_groups_ = 0;  // those of them that are the runtime's own
  CoreTable cores_;
  graph::ReadyList ready_[2];  // by CoreType
  graph::ReadyList orders_;    // ready, without a kernel
  Watchdog watchdog_;
  uint32_t finished_count_ = 0;
  Flight finished_[2 * CoreMask::kCapacity];  // their consumers are not released yet
};

}  // namespace taskmill::aicpu
