#include "driver/sim/pool_run.h"

#include <fmt/format.h>

#include <utility>

#include "driver/sim/pause.h"

namespace taskmill::sim {
namespace {

constexpr uint32_t kCoresPerSchedulerStep = 4;  // core turns between two looks at a queued scheduler
constexpr uint32_t kMostCoreTurns = 128;        // between two looks at other runs: more than there are cores
constexpr uint32_t kStepsPerTurn = 16;          // of a unit that always has something to do
constexpr uint32_t kTurnsPerCall = 16;          // before other runs have theirs

}  // namespace

PoolRun::PoolRun(std::shared_ptr<RunTicket> ticket, Pool* pool, Clock* clock, bool noncoherent)
    : pool_(pool),
      clock_(clock),
      manual_clock_(clock != &monotonic_clock()),
      entry_(ticket->program().entry),
      program_(ticket->program().program),
      machine_(ticket->program().launch, ports(), this, noncoherent),
      cores_left_(program_ != nullptr ? machine_.cores() : 0),
      aicpu_left_(entry_ != nullptr ? 1 + machine_.scheduler_threads() : 0),
      ticket_(std::move(ticket)),
      halves_left_((program_ != nullptr ? 1 : 0) + (entry_ != nullptr ? 1 : 0)) {
  for (auto& timer : timers_) timer.store(kNoTimer, std::memory_order_relaxed);  // nobody else knows the run yet
}

bool PoolRun::begin() {
  if (entry_ != nullptr && entry_->init(&machine_.launch()) != 0) {
    ticket_->end_both("");
    return false;
  }
  // The units of a half that was not launched are dead from the start.
  for (uint32_t core = 0; core < machine_.cores(); ++core) program_ != nullptr ? board_.queue(core) : board_.kill(core);
  for (uint32_t thread = 0; thread < machine_.scheduler_threads(); ++thread) {
    entry_ != nullptr ? board_.queue(scheduler_unit(thread)) : board_.kill(scheduler_unit(thread));
  }
  return true;
}

// ---- steps

bool PoolRun::run_units(Worker& worker) {
  for (uint32_t turn = 0; turn < kTurnsPerCall; ++turn) {
    const bool cores = run_cores(worker);
    const bool schedulers = run_schedulers(worker);
    if (!cores && !schedulers) return turn != 0;
    if (worker.stalled()) return true;
  }
  return true;
}

// Core turns until no core is queued, some turns were made and a scheduler waits, or many were made.
bool PoolRun::run_cores(Worker& worker) {
  uint32_t turns = 0;
  for (uint32_t word = 0; word < UnitBoard::kCoreWords; ++word) {
    for (uint32_t unit = board_.take(word); unit != UnitBoard::kNone; unit = board_.take(word)) {
      run_core(worker, unit);
      if (++turns >= kCoresPerSchedulerStep && board_.scheduler_waits()) return true;
      if (worker.stalled() || turns == kMostCoreTurns) return true;
    }
  }
  return turns != 0;
}

bool PoolRun::run_schedulers(Worker& worker) {
  bool worked = false;
  for (uint32_t unit = board_.take(UnitBoard::kCoreWords); unit != UnitBoard::kNone; unit = board_.take(UnitBoard::kCoreWords)) {
    run_scheduler(worker, unit);
    worked = true;
    if (board_.waiting() != 0) return true;  // cores first
  }
  return worked;
}

void PoolRun::run_scheduler(Worker& worker, uint32_t unit) {
  wire::Step step = wire::Step::kProgress;
  for (uint32_t turn = 0; step == wire::Step::kProgress && turn < kStepsPerTurn; ++turn) {
    worker.begin_step();
    step = entry_->scheduler_step(&machine_.launch(), unit - UnitBoard::kFirstScheduler);
    worker.end_step();
  }
  if (step == wire::Step::kDone) board_.kill(unit);
  if (step == wire::Step::kProgress) board_.queue(unit);
  board_.release(unit);
  if (step == wire::Step::kDone) aicpu_left();
}

struct PoolRun::CoreCall {
  PoolRun* run;
  Worker* worker;
  uint32_t core;
  wire::Step step;

  // Steps one core until it is idle or done, or has had its turn; inside the guard.
  static void play(void* argument) {
    auto& call = *static_cast<CoreCall*>(argument);
    PoolRun& run = *call.run;
    wire::CoreContext* context = &run.machine_.context(call.core);
    // Looked at inside the guard: an abandon that comes after this look parks the thread by signal.
    for (uint32_t turn = 0; turn < kStepsPerTurn && !run.abandoned_.load(std::memory_order_acquire); ++turn) {
      call.worker->begin_step();
      call.step = run.program_->core_step(context);
      call.worker->end_step();
      if (call.step == wire::Step::kIdle) return;
      run.core_reported(call.core);
      if (call.step == wire::Step::kDone) return;
    }
    run.board_.queue(call.core);  // goes on with its next turn, if the run does
  }
};

void PoolRun::run_core(Worker& worker, uint32_t core) {
  const wire::CoreContext* own = &machine_.context(core);
  worker.claim(own);
  CoreCall call{this, &worker, core, wire::Step::kIdle};
  Trap trap;
  if (!call_guarded(&CoreCall::play, &call, abandoned_, &trap)) core_died(worker, core, trap);
  const bool left = call.step == wire::Step::kDone;
  worker.drop_claim();
  // Who finds the unit killed by an abandon is given up, even if its kernel came back.
  const bool killed = left && !board_.kill(core);
  if ((board_.release(core) && !left) || killed) {
    worker.claim(own);
    park_for_ever();
  }
  if (left) core_left();
}

// No allocation from here on. The unit stays running and is dead: nobody takes it, and no abandon looks for this thread.
void PoolRun::core_died(Worker& worker, uint32_t core, const Trap& trap) {
  Pool::begin_death(worker);
  if (!board_.kill(core)) park_for_ever();  // an abandon was first, and gives this thread up
  program_->core_trap(&machine_.context(core), static_cast<uint32_t>(trap.signal), trap.address);
  int32_t none = -1;
  dead_core_.compare_exchange_strong(none, static_cast<int32_t>(core), std::memory_order_acq_rel);
  cores_left_.fetch_sub(1, std::memory_order_acq_rel);
  core_reported(core);
  pool_->end_death(worker);
  park_for_ever();
}

void PoolRun::core_reported(uint32_t core) {
  news_[core >> 6].fetch_or(uint64_t{1} << (core & 63), std::memory_order_seq_cst);
  for (uint32_t thread = 0; thread < machine_.scheduler_threads(); ++thread) {
    // If it is queued already, its step, still to come, sees the news: they were set before this look.
    if (!board_.is_queued(scheduler_unit(thread))) queue(scheduler_unit(thread));
  }
  if (waiting_kernels_.load(std::memory_order_relaxed) != 0) wake_waiting_kernels();  // a late look costs them one short wait
}

void PoolRun::queue(uint32_t unit) {
  if (board_.queue(unit)) pool_->unit_queued();
}

void PoolRun::poke() {
  for (uint32_t core = 0; core < machine_.cores(); ++core) queue(core);
}

bool PoolRun::orchestrate(const std::atomic<bool>& given_up) {
  struct Call {
    PoolRun* run;
    static void play(void* argument) {
      PoolRun& run = *static_cast<Call*>(argument)->run;
      run.entry_->orchestrate(&run.machine_.launch());
    }
  } call{this};
  Trap trap;
  if (!call_guarded(&Call::play, &call, given_up, &trap)) {
    {
      const std::lock_guard lock(mutex_);
      orchestration_trap_ = trap;
    }
    pool_->kick_monitor();
    return false;
  }
  aicpu_left();
  return true;
}

// ---- the end

void PoolRun::aicpu_left() {
  if (aicpu_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) end_half(Processor::kAicpu, "");
}

void PoolRun::core_left() {
  if (cores_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const int32_t dead = dead_core_.load(std::memory_order_acquire);
  end_half(Processor::kAicore, dead < 0 ? "" : fmt::format("the kernel on core {} died", dead));
}

void PoolRun::look_after_the_dead() {
  const int32_t dead = dead_core_.load(std::memory_order_acquire);
  if (dead >= 0 && cores_left_.load(std::memory_order_acquire) == 0) {
    end_half(Processor::kAicore, fmt::format("the kernel on core {} died", dead));
  }
  std::optional<Trap> trap;
  {
    const std::lock_guard lock(mutex_);
    trap = std::exchange(orchestration_trap_, std::nullopt);
  }
  if (trap) abandon(fmt::format("the orchestration died of signal {} at address {:#x}", trap->signal, trap->address));
}

// Each half once; the last one ends the run in the pool.
void PoolRun::end_half(Processor half, const std::string& fault) {
  std::shared_ptr<RunTicket> ticket;
  {
    const std::lock_guard lock(mutex_);
    bool& ended = ended_[static_cast<size_t>(half)];
    if (ended || ticket_ == nullptr) return;
    ended = true;
    ticket = ticket_;
    const bool last = halves_left_-- == 1;
    // Nobody is inside a program any more, unless a kernel died or the run was abandoned.
    if (last && dead_core_.load(std::memory_order_acquire) < 0 && !abandoned_.load(std::memory_order_acquire)) ticket_ = nullptr;
    if (last) pool_->remove(this);
  }
  ticket->end(half, fault);
}

void PoolRun::abandon(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    abandoned_.store(true, std::memory_order_release);
    unblocked_.notify_all();
  }
  for (uint32_t thread = 0; thread < machine_.scheduler_threads(); ++thread) board_.kill(scheduler_unit(thread));
  for (uint32_t core = 0; core < machine_.cores(); ++core) {
    if (board_.kill(core)) pool_->give_up(&machine_.context(core));
  }
  wake_waiting_kernels();
  const std::string fault = "the device was abandoned: " + reason;
  if (program_ != nullptr) end_half(Processor::kAicore, fault);
  if (entry_ != nullptr) end_half(Processor::kAicpu, fault);
}

}  // namespace taskmill::sim
