#include "device/aicpu/scheduler.h"

#include "device/aicpu/error_report.h"
#include "graph/completion.h"
#include "wire/token.h"

namespace taskmill::aicpu {
namespace {

using wire::Reason;

// A pass that keeps finding work looks at the clock this seldom; one that finds none looks each time.
constexpr uint32_t kPassesPerClockLook = 256;

}  // namespace

void Scheduler::init(SharedState* shared, uint32_t thread, uint32_t first_sequence) {
  const wire::LaunchBlock& launch = *shared->launch;
  shared_ = shared;
  thread_ = thread;
  cores_.init(wire::run_generation(launch.run_serial), launch.clusters, first_sequence);
  watchdog_.init(launch.kernel_limit_ns, launch.stall_limit_ns);
}

wire::Step Scheduler::pass() {
  bool moved = collect_completions();
  moved |= release_consumers();
  failed_ = shared_->error.raised() != nullptr;
  if (!failed_) {
    moved |= take_inbox();
    moved |= complete_orders();
    moved |= dispatch_ready();
  }
  if (!moved || passes_ % kPassesPerClockLook == 0) moved |= watch();
  ++passes_;
  if (finish()) return wire::Step::kDone;
  return moved ? wire::Step::kProgress : wire::Step::kIdle;
}

bool Scheduler::collect_completions() {
  CoreMask cores = cores_.expecting();
  if (cores.empty()) return false;
  const wire::CorePort& port = shared_->cores();
  port.news(port.context, &cores);
  bool changed = false;
  while (!cores.empty()) changed |= observe(cores.take_first());
  return changed;
}

bool Scheduler::observe(uint32_t core) {
  const wire::CorePort& port = shared_->cores();
  const Observation seen = cores_.observe(core, port.poll(port.context, core));
  for (uint32_t i = 0; i < seen.finished_count; ++i) take_finished(core, seen.finished[i]);
  if (seen.trapped) take_trap(core);
  return seen.changed || seen.trapped;
}

void Scheduler::take_finished(uint32_t core, const Flight& flight) {
  const wire::CompletionSlab& slab = read_slab(core, flight.sequence);
  if (slab.error_code != 0) shared_->fail(error_at(static_cast<ErrorCode>(slab.error_code), Reason::kKernelReported, core, flight));
  finished_[finished_count_++] = flight;
}

// TRAP hides the answer before it. Which of the core's two dispatches died is told by the slabs: the kernel that died has a
// signal in its own, and each kernel's slab is cleared before the kernel starts.
void Scheduler::take_trap(uint32_t core) {
  const Flight follower = cores_.follower(core);
  const bool follower_died = follower.present() && read_slab(core, follower.sequence).signal != 0;
  const Flight finished = cores_.trap(core, follower_died);
  if (finished.present()) take_finished(core, finished);
  const Flight died = cores_.running(core);
  wire::RunError error = error_at(ErrorCode::kKernelCrashed, Reason::kKernelTrap, core, died);
  const wire::CompletionSlab& slab = read_slab(core, died.sequence);
  error.needed = slab.signal;
  error.available = slab.fault_address;
  shared_->fail(error);
}

bool Scheduler::release_consumers() {
  if (finished_count_ == 0) return false;
  for (uint32_t i = 0; i < finished_count_; ++i) {
    graph::complete(shared_->graph, finished_[i].slot, [this](uint32_t slot) { enqueue(slot); });
  }
  completed_ += finished_count_;
  finished_count_ = 0;
  publish_completed();
  return true;
}

void Scheduler::enqueue(uint32_t slot) {
  graph::TaskSlot* slots = shared_->graph.slots;
  const graph::TaskDescription& task = slots[slot].description();
  (task.has_kernel() ? ready(task.core_type) : orders_).push(slots, slot);
}

void Scheduler::publish_completed() {
  shared_->completed[thread_].publish(completed_);
  shared_->progress.tell(shared_->aicpu());
}

bool Scheduler::take_inbox() {
  graph::TaskSlot* slots = shared_->graph.slots;
  graph::ReadyList arrived;
  if (!shared_->inbox[thread_].take_all(slots, arrived)) return false;
  for (uint32_t slot = arrived.pop(slots); slot != graph::kNoSlot; slot = arrived.pop(slots)) enqueue(slot);
  return true;
}

// A chain of tasks without kernels completes in one go: each may make the next one ready.
bool Scheduler::complete_orders() {
  if (orders_.empty()) return false;
  for (uint32_t slot = orders_.pop(shared_->graph.slots); slot != graph::kNoSlot; slot = orders_.pop(shared_->graph.slots)) {
    completed_groups_ += shared_->graph.slots[slot].description().is_group();
    graph::complete(shared_->graph, slot, [this](uint32_t consumer) { enqueue(consumer); });
    ++completed_;
  }
  publish_completed();
  return true;
}

bool Scheduler::dispatch_ready() {
  const bool aic = dispatch_type(CoreType::kAic);
  const bool aiv = dispatch_type(CoreType::kAiv);
  return aic || aiv;
}

bool Scheduler::dispatch_type(CoreType type) {
  graph::ReadyList& list = ready(type);
  bool any = false;
  while (!list.empty() && cores_.has_room(type)) {
    const uint32_t slot = list.pop(shared_->graph.slots);
    dispatch(cores_.place(type, slot), slot);
    any = true;
  }
  return any;
}

// Payload and arguments are published before the token, whose store releases them (contract 4). The kernel id was checked
// at submit.
void Scheduler::dispatch(const Placement& placement, uint32_t slot) {
  const wire::LaunchBlock& launch = *shared_->launch;
  const wire::CorePort& port = shared_->cores();
  const graph::TaskDescription& task = shared_->graph.slots[slot].description();
  const void* arguments = shared_->graph.tensor_slots(slot);
  const uint32_t sequence = wire::token_sequence(placement.token);
  wire::DispatchPayload& payload = mailbox(placement.core).payload[wire::payload_slot(sequence)];
  payload = {};
  payload.kernel = reinterpret_cast<const uint64_t*>(launch.functions)[task.kernel_id];
  payload.arguments_offset = reinterpret_cast<uint64_t>(arguments) - launch.region;
  payload.task = task.task;
  payload.kernel_id = task.kernel_id;
  payload.tensor_count = task.tensor_count;
  payload.scalar_count = task.scalar_count;
  payload.arguments_bytes = task.arguments_bytes();
  payload.block_num = 1;
  if (payload.arguments_bytes != 0) port.publish(port.context, arguments, payload.arguments_bytes);
  port.publish(port.context, &payload, sizeof payload);
  port.dispatch(port.context, placement.core, placement.token);
}

bool Scheduler::watch() {
  if (!watchdog_.enabled()) return false;
  const wire::AicpuPort& port = shared_->aicpu();
  const uint64_t now_ns = port.now_ns(port.context);
  if (!watchdog_.due(now_ns)) return false;
  const Watchdog::Tick tick = watchdog_.tick(now_ns, cores_, completed_);
  port.arm_timer(port.context, thread_, tick.next_due_ns);
  report_overdue(tick.overdue, now_ns);
  if (tick.stalled_ns != 0) take_stall(tick.stalled_ns, now_ns);
  return tick.stalled_ns != 0 || !tick.overdue.empty();
}

void Scheduler::report_overdue(CoreMask overdue, uint64_t now_ns) {
  while (!overdue.empty()) {
    const uint32_t core = overdue.take_first();
    wire::RunError error = error_at(ErrorCode::kSchedulerTimeout, Reason::kKernelOverdue, core, cores_.running(core));
    error.needed = watchdog_.seen_running_ns(core, now_ns);
    error.available = watchdog_.kernel_limit_ns();
    shared_->fail(error);
    cores_.abandon(core);
  }
}

// Nothing moved for the stall limit. Cores that did not answer in that time are given up. The orchestration gets the limit
// once more to come to its end; then the result is written without it.
void Scheduler::take_stall(uint64_t stalled_ns, uint64_t now_ns) {
  gave_up_ = failed_;
  shared_->fail(stall_error(stalled_ns));
  for (CoreMask silent = cores_.busy(); !silent.empty();) cores_.abandon(silent.take_first());
  watchdog_.restart_stall(now_ns);
}

wire::RunError Scheduler::stall_error(uint64_t stalled_ns) const {
  const auto error_of = [&](uint32_t core, const Flight& flight, const char* message) {
    wire::RunError error = error_at(ErrorCode::kSchedulerTimeout, Reason::kNoProgress, core, flight);
    error.needed = stalled_ns;
    error.available = watchdog_.stall_limit_ns();
    set_message(&error, message);
    return error;
  };
  const CoreMask silent = cores_.busy();
  if (!silent.empty()) return error_of(silent.first(), cores_.waiting(silent.first()), "a core does not acknowledge its dispatch");
  for (CoreType type : {CoreType::kAic, CoreType::kAiv}) {
    const CoreMask absent = cores_.starting() & cores_.shape(type);
    if (ready_[static_cast<uint32_t>(type)].empty() || absent.empty()) continue;
    return error_of(absent.first(), {}, "no core of the ready task's type has started");
  }
  if (!shared_->end.reached()) return error_of(kNoCore, {}, "the orchestration neither submits nor returns");
  return error_of(kNoCore, {}, "submitted tasks do not become ready");
}

// The run is over when the orchestration has ended and everything that it submitted has completed; a failed one when the
// orchestration has ended and no kernel is on its way any more. An error that the orchestrator raised is seen here at the
// latest, because it comes before the end that is looked at first.
bool Scheduler::finish() {
  const bool ended = shared_->end.reached();
  const bool failed = shared_->error.raised() != nullptr;
  if (!cores_.busy().empty()) return false;
  const bool over = failed ? ended || gave_up_ : ended && completed_ == shared_->end.submitted();
  if (over) send_exits();
  return over;
}

// A core that has not said HELLO yet can take EXIT too: it reads the word after it has started. One that died or has an
// unacknowledged dispatch cannot; it is stuck.
void Scheduler::send_exits() {
  const wire::CorePort& port = shared_->cores();
  const uint32_t token = wire::make_token(cores_.generation(), wire::kExitSequence);
  for (CoreMask cores = cores_.owned(); !cores.empty();) {
    const uint32_t core = cores.take_first();
    if (cores_.takes_word(core)) port.dispatch(port.context, core, token);
  }
}

wire::RunError Scheduler::error_at(ErrorCode code, Reason reason, uint32_t core, const Flight& flight) const {
  wire::RunError error = make_error(code, reason);
  error.core = static_cast<int32_t>(core);
  if (flight.present()) {
    const graph::TaskDescription& task = shared_->graph.slots[flight.slot].description();
    error.task = task.task;
    error.kernel_id = task.kernel_id;
  }
  return error;
}

wire::CoreMailbox& Scheduler::mailbox(uint32_t core) const {
  return *reinterpret_cast<wire::CoreMailbox*>(shared_->launch->region + wire::mailbox_offset(core));
}

const wire::CompletionSlab& Scheduler::read_slab(uint32_t core, uint32_t sequence) const {
  const wire::CorePort& port = shared_->cores();
  const wire::CompletionSlab& slab = mailbox(core).slab[wire::payload_slot(sequence)];
  port.invalidate(port.context, &slab, sizeof slab);
  return slab;
}

}  // namespace taskmill::aicpu
