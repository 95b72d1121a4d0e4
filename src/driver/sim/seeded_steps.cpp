// How units step in the seeded executor, and what the ports do there.
#include <algorithm>

#include "driver/sim/seeded_run.h"
#include "wire/token.h"

namespace taskmill::sim {
namespace {

template <class F>
bool guarded(F&& f, const std::atomic<bool>& given_up, Trap* trap) {
  return call_guarded([](void* argument) { (*static_cast<F*>(argument))(); }, &f, given_up, trap);
}

bool is_kernel_acknowledged(uint32_t cond) {
  const uint32_t sequence = wire::token_sequence(cond);
  return !wire::is_finished(cond) && sequence != wire::kHelloSequence && sequence != wire::kExitSequence;
}

}  // namespace

// False: the thread is no longer fit to go on with the loop.
bool SeededRun::run_unit(size_t i, Carrier& carrier) {
  UnitState& u = units_[i];
  u.state = State::kRunning;
  u.pending = false;
  refresh(i);
  current_ = i;
  carrier_.store(&carrier, std::memory_order_release);
  bool fit = true;
  switch (u.unit.kind) {
    case UnitKind::kOrchestrator:
      fit = orchestrate();
      break;
    case UnitKind::kScheduler:
      step_scheduler(i);
      break;
    case UnitKind::kCore:
      fit = step_core(i);
      break;
  }
  if (given_up_.load(std::memory_order_acquire)) park_for_ever();
  current_ = kNone;
  refresh(i);
  return fit;
}

bool SeededRun::orchestrate() {
  Trap trap;
  const bool returned = guarded([this] { setup_.entry->orchestrate(&machine_.launch()); }, given_up_, &trap);
  units_[kOrchestrator].state = State::kDone;
  if (returned) return true;
  abandoned_.store(true, std::memory_order_relaxed);
  orchestration_trap_ = trap;
  return false;
}

void SeededRun::step_scheduler(size_t i) {
  UnitState& u = units_[i];
  busy_ns_ = 0;
  const wire::Step step = setup_.entry->scheduler_step(&machine_.launch(), u.unit.index);
  u.state = step == wire::Step::kDone ? State::kDone : State::kIdle;
  u.busy_until = now() + busy_ns_;
  if (step == wire::Step::kProgress) mark(i, now());
}

bool SeededRun::step_core(size_t i) {
  UnitState& u = units_[i];
  const uint32_t core = u.unit.index;
  wire::CoreContext& context = machine_.context(core);
  wire::Step step = wire::Step::kIdle;
  Trap trap;
  if (!guarded([&] { step = setup_.program->core_step(&context); }, given_up_, &trap)) {
    setup_.program->core_trap(&context, static_cast<uint32_t>(trap.signal), trap.address);
    outcome_.trapped.set(core);
    u.state = State::kDone;
    account_core(i);
    core_reported(core);
    return false;
  }
  u.state = step == wire::Step::kDone ? State::kDone : State::kIdle;
  account_core(i);
  if (step == wire::Step::kIdle) return true;
  if (step == wire::Step::kProgress) mark(i, now());
  core_reported(core);
  return true;
}

// Follows COND: an acknowledged kernel's effect and FIN come after its cost.
void SeededRun::account_core(size_t i) {
  UnitState& u = units_[i];
  const uint32_t cond = machine_.registers(u.unit.index).answer();
  if (cond == u.cond) return;
  u.cond = cond;
  if (u.kernel) {
    u.kernel = false;
    --kernels_now_;
  }
  if (!is_kernel_acknowledged(cond)) return;
  u.kernel = true;
  ++outcome_.kernels;
  outcome_.peak_kernels = std::max(outcome_.peak_kernels, ++kernels_now_);
  const auto& cost = setup_.options->cost.kernel_ns;
  const uint64_t ns = cost ? cost(machine_.context(u.unit.index)) : 0;
  outcome_.kernel_ns += ns;
  u.busy_until = now() + ns;
}

void SeededRun::core_reported(uint32_t core) {
  news_.set(core);
  mark_schedulers(now());
}

void SeededRun::mark_schedulers(uint64_t due) {
  for (uint32_t thread = 0; thread < machine_.scheduler_threads(); ++thread) mark(scheduler_unit(thread), due);
}

// The current unit gives its turn away. False: the run is ending.
bool SeededRun::suspend(Wait wait) {
  const ParkShield shield;  // it is called by user code
  const size_t i = current_;
  Carrier& own = *carrier_.load(std::memory_order_relaxed);  // written by this thread
  UnitState& u = units_[i];
  u.state = State::kWaiting;
  u.wait = wait;
  u.resumable = wait == Wait::kTurn;
  u.carrier = &own;
  words_polled_ += wait == Wait::kWord ? 1 : 0;
  refresh(i);
  const size_t chosen = next();
  if (chosen != i) {
    if (chosen != kNone && units_[chosen].carrier != nullptr) {
      setup_.crew->give(*units_[chosen].carrier);
    } else {
      first_ = chosen;
      setup_.crew->give_spare(shared_from_this());
    }
    setup_.crew->await(own);
  }
  words_polled_ -= wait == Wait::kWord ? 1 : 0;
  u.carrier = nullptr;
  u.state = State::kRunning;
  refresh(i);
  current_ = i;
  carrier_.store(&own, std::memory_order_release);
  return !ending_;
}

// The holder's user code died: a spare goes on, started by play_out(), since this thread must not allocate.
void SeededRun::lose_carrier() {
  setup_.crew->lose(*carrier_.load(std::memory_order_relaxed));  // written by this thread
  {
    const std::lock_guard lock(mutex_);
    wants_carrier_ = true;
    changed_.notify_all();
  }
  park_for_ever();
}

bool SeededRun::dropped(PortCall call, Unit caller) const {
  const auto& drop = setup_.options->hooks.drop;
  return drop && drop(call, caller);
}

// init, which no unit runs, counts as the orchestrator.
Unit SeededRun::current_unit() const { return units_[current_ == kNone ? kOrchestrator : current_].unit; }

// ---- the ports

struct SeededRun::Ports {
  static SeededRun& run(void* context) { return *static_cast<SeededRun*>(context); }
  static SeededRun& run_of(void* seat) { return run(static_cast<CoreSeat*>(seat)->run); }
  static Unit core_of(void* seat) { return {UnitKind::kCore, static_cast<CoreSeat*>(seat)->core}; }

  static void dispatch(void* context, uint32_t core, uint32_t token) {
    SeededRun& r = run(context);
    if (r.dropped(PortCall::kDispatch, r.current_unit())) return;
    r.machine_.registers(core).send(token);
    r.busy_ns_ += r.setup_.options->cost.dispatch_ns;
    r.mark(r.core_unit(core), r.now() + r.busy_ns_);
  }

  static uint32_t poll(void* context, uint32_t core) { return run(context).machine_.registers(core).answer(); }

  static void news(void* context, CoreMask* cores) {
    SeededRun& r = run(context);
    *cores &= r.news_;
    r.news_ &= ~*cores;
  }

  static void publish(void* context, const void* address, uint64_t bytes) {
    SeededRun& r = run(context);
    if (r.dropped(PortCall::kPublish, r.current_unit())) return;
    if (Views* views = r.machine_.views()) views->write_back(Views::kAicpu, address, bytes);
  }

  static void invalidate(void* context, const void* address, uint64_t bytes) {
    SeededRun& r = run(context);
    if (r.dropped(PortCall::kInvalidate, r.current_unit())) return;
    if (Views* views = r.machine_.views()) views->fetch(Views::kAicpu, address, bytes);
  }

  static void core_invalidate(void* context, const void* address, uint64_t bytes) {
    SeededRun& r = run_of(context);
    if (r.dropped(PortCall::kInvalidate, core_of(context))) return;
    if (Views* views = r.machine_.views()) views->fetch(Views::core_viewer(core_of(context).index), address, bytes);
  }

  static void clean(void* context, const void* address, uint64_t bytes) {
    SeededRun& r = run_of(context);
    if (r.dropped(PortCall::kClean, core_of(context))) return;
    if (Views* views = r.machine_.views()) views->write_back(Views::core_viewer(core_of(context).index), address, bytes);
  }

  static uint64_t now_ns(void* context) { return run(context).now(); }
  static uint64_t core_now_ns(void* context) { return run_of(context).now(); }

  static void arm_timer(void* context, uint32_t thread, uint64_t due_ns) {
    SeededRun& r = run(context);
    if (r.dropped(PortCall::kArmTimer, r.current_unit())) return;
    UnitState& u = r.units_[r.scheduler_unit(thread)];
    u.timer = std::max(due_ns, r.now());
  }

  // Only a wake ends it, even if the word changes: so a forgotten wake is a deadlock here.
  static bool block(void* context, const uint32_t* word, uint32_t seen) {
    SeededRun& r = run(context);
    if (r.ending_) return false;
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen) return true;
    UnitState& u = r.units_[r.current_];
    u.word = word;
    u.seen = seen;
    return r.suspend(Wait::kWake);
  }

  static void wake(void* context, const uint32_t* word) {
    SeededRun& r = run(context);
    if (r.dropped(PortCall::kWake, r.current_unit())) return;
    UnitState& u = r.units_[kOrchestrator];
    if (u.state != State::kWaiting || u.wait != Wait::kWake || u.word != word) return;
    u.resumable = true;
    u.resume_at = r.now();
    r.refresh(kOrchestrator);
  }

  static void notify(void* context, uint32_t thread) {
    SeededRun& r = run(context);
    if (r.dropped(PortCall::kNotify, r.current_unit())) return;
    r.mark(r.scheduler_unit(thread), r.now());
    if (r.current_ != kOrchestrator || r.ending_) return;
    r.units_[kOrchestrator].resume_at = r.now() + r.setup_.options->cost.submit_ns;
    r.suspend(Wait::kTurn);
  }

  static void wait_step(void* context, const uint32_t* word, uint32_t seen) {
    SeededRun& r = run_of(context);
    UnitState& u = r.units_[r.current_];
    u.word = word;
    u.seen = seen;
    r.suspend(Wait::kWord);
  }
};

const PortTable& SeededRun::ports() {
  static constexpr PortTable kTable = {
      .aicpu_side = {nullptr, &Ports::dispatch, &Ports::poll, &Ports::news, &Ports::publish, &Ports::invalidate, nullptr, &Ports::now_ns},
      .core_side = {nullptr, nullptr, nullptr, nullptr, nullptr, &Ports::core_invalidate, &Ports::clean, &Ports::core_now_ns},
      .aicpu = {nullptr, &Ports::now_ns, &Ports::arm_timer, &Ports::block, &Ports::wake, &Ports::notify},
      .wait_step = &Ports::wait_step,
  };
  return kTable;
}

}  // namespace taskmill::sim
