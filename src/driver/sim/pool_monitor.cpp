// The pool's monitor thread: timers, stalls and deaths.
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>

#include "driver/sim/clock.h"
#include "driver/sim/pool.h"
#include "driver/sim/pool_run.h"

namespace taskmill::sim {
namespace {

constexpr uint64_t kTickNs = 2'000'000;
constexpr uint64_t kMostPatienceNs = 8 * kTickNs;

std::chrono::steady_clock::time_point steady(uint64_t ns) { return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns)); }

// A step's length is the CPU time that its thread took: on a busy machine the wall's says more about others.
uint64_t cpu_ns(std::thread& thread) {
  clockid_t clock = 0;
  timespec time = {};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

void Pool::monitor() {
  Lock lock(mutex_);
  while (!stopping_) {
    collect_dead(lock);
    join_dismissed(lock);
    if (runs_.empty() && !kicked_) {
      monitor_wake_.wait(lock, [&] { return stopping_ || kicked_ || !runs_.empty(); });
      continue;
    }
    kicked_ = false;
    const uint64_t now = monotonic_clock().now_ns();
    look_for_stall(lock, now);
    const Runs runs = runs_;
    lock.unlock();
    // First say when it looks again, then look at the timers: one that is armed in between sees the one or is seen.
    monitor_due_ns_.store(now + kTickNs, std::memory_order_seq_cst);
    const uint64_t due = std::min(now + kTickNs, fire_timers(runs));
    lock.lock();
    if (runs_.empty()) continue;
    monitor_wake_.wait_until(lock, steady(due), [&] { return stopping_ || kicked_; });
  }
}

// Marks the schedulers whose timers are due; when the next one is, on the monotonic clock.
uint64_t Pool::fire_timers(const Runs& runs) {
  uint64_t next = UINT64_MAX;
  for (const auto& run : runs) {
    run->look_after_the_dead();
    next = std::min(next, run->fire_timers());
  }
  return next;
}

void Pool::collect_dead(Lock& lock) {
  for (size_t i = 0; i < workers_.size();) {
    if (!workers_[i]->died_) {
      ++i;
      continue;
    }
    lose(*workers_[i], lock);
    i = 0;
    death_.notify_all();
  }
}

void Pool::join_dismissed(Lock& lock) {
  while (!dismissed_.empty()) {
    const std::shared_ptr<Worker> worker = std::move(dismissed_.back());
    dismissed_.pop_back();
    lock.unlock();
    worker->thread_.join();
    lock.lock();
  }
}

// Notes how long steps take, and whether queued units wait while no step ends.
void Pool::look_for_stall(Lock& lock, uint64_t now_ns) {
  bool progress = false;
  for (const auto& worker : workers_) {
    const uint64_t steps = worker->steps();
    if (steps == worker->seen_steps_) continue;
    const bool was_inside = (worker->seen_steps_ & 1) != 0;
    const uint64_t cpu = cpu_ns(worker->thread_);
    // No measure is taken while workers are stalled: steps may wait for others.
    if (was_inside && stalled_ == 0) longest_step_ns_ = std::max(longest_step_ns_, cpu - worker->seen_cpu_ns_);
    worker->seen_steps_ = steps;
    worker->seen_cpu_ns_ = cpu;
    progress = true;
  }
  const bool queued = std::any_of(runs_.begin(), runs_.end(), [](const auto& run) { return run->waiting_units() != 0; });
  if (progress || !queued) {
    last_progress_ns_ = now_ns;
    patience_ns_ = kTickNs;
    return;
  }
  if (now_ns - last_progress_ns_ < std::max(patience_ns_, 4 * longest_step_ns_)) return;
  last_progress_ns_ = now_ns;
  patience_ns_ = std::min(2 * patience_ns_, kMostPatienceNs);  // a long kernel looks like a stall at first
  relieve_stalled(lock);
}

void Pool::relieve_stalled(Lock& lock) {
  for (const auto& worker : workers_) {
    if ((worker->steps() & 1) == 0 || worker->stalled()) continue;
    worker->stalled_.store(true, std::memory_order_relaxed);
    ++stalled_;
  }
  headroom_ = stalled_ / 4;
  update_wakeable();
  while (wake_or_start(lock)) {
  }
}

}  // namespace taskmill::sim
