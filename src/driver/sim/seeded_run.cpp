#include "driver/sim/seeded_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace taskmill::sim {
namespace {

// How long the holder of the baton may stay inside user code after abandon() before its thread is given up.
constexpr auto kGrace = std::chrono::seconds(1);

}  // namespace

SeededRun::SeededRun(Setup setup, const wire::LaunchBlock& launch)
    : setup_(std::move(setup)),
      machine_(launch, ports(), this, setup_.options->noncoherent),
      start_ns_(now()),
      random_(setup_.random_state) {
  units_.push_back({.unit = {UnitKind::kOrchestrator, 0}});
  for (uint32_t thread = 0; thread < machine_.scheduler_threads(); ++thread) units_.push_back({.unit = {UnitKind::kScheduler, thread}});
  for (uint32_t core = 0; core < machine_.cores(); ++core) units_.push_back({.unit = {UnitKind::kCore, core}});
  for (size_t i = 0; i < units_.size(); ++i) {
    const bool is_core = units_[i].unit.kind == UnitKind::kCore;
    if (is_core ? setup_.program == nullptr : setup_.entry == nullptr) {
      units_[i].state = State::kDone;
      continue;
    }
    const auto& delay = setup_.options->hooks.start_delay_ns;
    units_[i].busy_until = now() + (delay ? delay(units_[i].unit) : 0);
    mark(i, now());
  }
}

SeededOutcome SeededRun::play_out() {
  if (setup_.entry != nullptr) outcome_.refusal = setup_.entry->init(&machine_.launch());
  if (outcome_.refusal != 0) {
    outcome_.end = RunEnd::kRefused;
    return outcome_;
  }
  setup_.crew->give_spare(shared_from_this());
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto called = [&] { return finished_ || wants_carrier_; };
    if (!abandoned_) {
      changed_.wait(lock, [&] { return called() || abandoned_; });
    } else if (!changed_.wait_for(lock, kGrace, called)) {
      return give_up_holder();
    }
    if (finished_) break;
    if (!wants_carrier_) continue;
    wants_carrier_ = false;
    setup_.crew->give_spare(shared_from_this());
  }
  if (orchestration_trap_) {
    outcome_.fault = "the orchestration died of signal " + std::to_string(orchestration_trap_->signal) + " at address " +
                     std::to_string(orchestration_trap_->address);
  }
  return outcome_;
}

// The holder sits in user code that does not end. What it owns of the run stays as it is.
SeededOutcome SeededRun::give_up_holder() {
  given_up_.store(true, std::memory_order_release);
  Carrier& holder = *carrier_.load(std::memory_order_acquire);
  park_thread(holder.thread());
  setup_.crew->lose(holder);
  SeededOutcome outcome;
  outcome.end = RunEnd::kAbandoned;
  outcome.waiting = "user code that does not return";
  return outcome;
}

void SeededRun::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

// ---- the loop

void SeededRun::play(Carrier& carrier) {
  for (;;) {
    const size_t i = first_ != kNone ? std::exchange(first_, kNone) : next();
    if (i == kNone) {
      finish(carrier);
      return;
    }
    if (Carrier* other = units_[i].carrier) {
      setup_.crew->retire(carrier);
      setup_.crew->give(*other);
      return;
    }
    if (!run_unit(i, carrier)) lose_carrier();
  }
}

// The unit to run now; kNone: the run has ended.
size_t SeededRun::next() {
  if (abandoned_.load(std::memory_order_relaxed)) begin_to_end(RunEnd::kAbandoned);  // a late look is a step more
  const uint64_t limit = setup_.options->max_steps;
  if (limit != 0 && outcome_.steps >= limit) begin_to_end(RunEnd::kStepLimit);
  while (!ending_) {
    if (words_polled_ > 0) admit_kernels_that_wait();
    if (ready_.count() > 0) return choose();
    if (!advance_clock()) begin_to_end(how_it_rests());
  }
  // Only the orchestration is told that the run is over: its stack unwinds as it returns.
  return units_[kOrchestrator].state == State::kWaiting ? kOrchestrator : kNone;
}

size_t SeededRun::choose() {
  const size_t count = ready_.count();
  size_t n = 0;
  if (const auto& hook = setup_.options->hooks.choose) {
    std::vector<Unit> runnable;
    for (size_t k = 0; k < count; ++k) runnable.push_back(units_[ready_.nth(k)].unit);
    n = hook(runnable) % count;
  } else if (count > 1) {
    n = draw() % count;
  }
  const size_t i = ready_.nth(n);
  ++outcome_.steps;
  outcome_.order_hash = (outcome_.order_hash ^ (i + 1) ^ ((now() - start_ns_) << 8)) * 0x100000001b3u;
  if (const auto& hook = setup_.options->hooks.before_step) hook(units_[i].unit);
  return i;
}

// Moves the clock to the next time at which something can happen. False: there is none.
bool SeededRun::advance_clock() {
  uint64_t target = UINT64_MAX;
  const size_t delayed = delayed_.count();
  for (size_t k = 0; k < delayed; ++k) target = std::min(target, effective_due(units_[delayed_.nth(k)]));
  for (const UnitState& u : units_) {
    if (u.state != State::kDone) target = std::min(target, u.timer);
  }
  if (target == UINT64_MAX) return false;
  if (target > now()) setup_.now->store(target, std::memory_order_relaxed);
  for (size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].timer > now()) {
      refresh(i);
      continue;
    }
    units_[i].timer = UINT64_MAX;
    mark(i, now());
  }
  return true;
}

void SeededRun::admit_kernels_that_wait() {
  for (size_t i = 0; i < units_.size(); ++i) {
    UnitState& u = units_[i];
    if (u.state != State::kWaiting || u.wait != Wait::kWord || u.resumable) continue;
    if (__atomic_load_n(u.word, __ATOMIC_ACQUIRE) == u.seen) continue;
    u.resumable = true;
    u.resume_at = now();
    refresh(i);
  }
}

// Puts the unit where its state says: ready, delayed or neither.
void SeededRun::refresh(size_t i) {
  const UnitState& u = units_[i];
  const bool can_run = u.state == State::kWaiting ? u.resumable : u.state == State::kIdle && u.pending;
  ready_.clear(i);
  delayed_.clear(i);
  if (can_run) (effective_due(u) <= now() ? ready_ : delayed_).set(i);
}

uint64_t SeededRun::effective_due(const UnitState& u) { return u.state == State::kWaiting ? u.resume_at : std::max(u.due, u.busy_until); }

// Steps the unit, not before `due`.
void SeededRun::mark(size_t i, uint64_t due) {
  UnitState& u = units_[i];
  if (u.state == State::kDone) return;
  u.due = u.pending ? std::min(u.due, due) : due;
  u.pending = true;
  refresh(i);
}

uint64_t SeededRun::draw() {  // splitmix64
  uint64_t z = random_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// ---- the end

bool SeededRun::all_done(UnitKind kind) const {
  for (const UnitState& u : units_) {
    if (u.unit.kind == kind && u.state != State::kDone) return false;
  }
  return true;
}

// What it means that nothing can run and no timer is armed.
RunEnd SeededRun::how_it_rests() const {
  if (!all_done(UnitKind::kOrchestrator) || !all_done(UnitKind::kScheduler)) return RunEnd::kDeadlock;
  return all_done(UnitKind::kCore) && outcome_.trapped.empty() ? RunEnd::kFinished : RunEnd::kStuck;
}

void SeededRun::begin_to_end(RunEnd end) {
  if (ending_) return;
  ending_ = true;
  outcome_.end = end;
  outcome_.virtual_ns = now() - start_ns_;
  for (const UnitState& u : units_) {
    if (u.unit.kind == UnitKind::kCore && u.state != State::kDone) outcome_.stuck.set(u.unit.index);
  }
  if (end != RunEnd::kFinished) outcome_.waiting = who_waits();
}

// Kernels that still wait never go on: their threads stay behind in await().
void SeededRun::finish(Carrier& carrier) {
  for (UnitState& u : units_) {
    if (u.state == State::kWaiting) setup_.crew->lose(*u.carrier);
  }
  setup_.crew->retire(carrier);
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

std::string SeededRun::who_waits() const {
  std::string text;
  const auto say = [&](const std::string& line) { text += (text.empty() ? "" : "; ") + line; };
  for (const UnitState& u : units_) {
    if (u.state == State::kDone) continue;
    const std::string index = std::to_string(u.unit.index);
    const std::string seen = std::to_string(u.seen);
    if (u.unit.kind == UnitKind::kOrchestrator) {
      say(u.state == State::kWaiting ? "the orchestration waits for a wake, having seen " + seen : "the orchestration has not started");
    } else if (u.unit.kind == UnitKind::kScheduler) {
      say("scheduler " + index + " is idle");
    } else if (u.state == State::kWaiting) {
      say("core " + index + ", task " + std::to_string(machine_.context(u.unit.index).payload.task) +
          ": its kernel waits for a word that holds " + seen);
    } else {
      say("core " + index + " is idle");
    }
  }
  return text;
}

}  // namespace taskmill::sim
