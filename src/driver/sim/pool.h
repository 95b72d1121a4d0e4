// The process's worker threads for simulated devices: as many as CPUs are available, shared by all devices, started with
// the first and stopped with the last.
//
// A worker that finds nothing to do searches for some tens of µs, then goes to rest, if a run is active; with no run all
// rest. Nobody who queues a unit is missed: he first queues it and then looks for searchers and resters; a worker first
// says that it no longer searches, or that it rests, and then looks for queued units once more. All four are sequentially
// consistent, so at least one sees the other. A searcher that finds work while no other searches wakes a rester if there is
// more: it may be work whose queuer relied on this searcher.
//
// A kernel may wait for a task that only another worker can run. The monitor, at rest when no run is active, fires timers,
// and when units are queued and no step ended for a while it counts the running workers as stalled and puts others in
// their place, up to one thread per unit. A stalled worker whose step ends is one too many: it goes to rest.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/align.h"
#include "wire/program.h"

namespace taskmill::sim {

class PoolRun;

// One thread of the pool.
class Worker {
 public:
  // The core that this worker runs: claimed once it is taken, dropped before it is released, so that no two workers hold one.
  // Relaxed: the changes of the core's unit order a drop before the next claim, and who misses a claim looks again.
  void claim(const wire::CoreContext* core) { core_.store(core, std::memory_order_relaxed); }
  void drop_claim() { core_.store(nullptr, std::memory_order_relaxed); }
  bool holds(const wire::CoreContext* core) const { return core_.load(std::memory_order_relaxed) == core; }
  // Only this thread writes; the monitor looks whether it changed, and a late look costs it one tick.
  void begin_step() { steps_.store(steps_.load(std::memory_order_relaxed) | 1, std::memory_order_relaxed); }
  void end_step() { steps_.store((steps_.load(std::memory_order_relaxed) | 1) + 1, std::memory_order_relaxed); }
  uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }
  bool stalled() const { return stalled_.load(std::memory_order_relaxed); }  // acted on under the pool's mutex

  static Worker* current();

 private:
  friend class Pool;
  std::atomic<bool> dying_{false};  // until its death was reported and taken note of
  std::atomic<const wire::CoreContext*> core_{nullptr};
  std::atomic<uint64_t> steps_{0};  // odd: inside one
  alignas(kCacheLineBytes) std::atomic<bool> stalled_{false};

  // Guarded by the pool's mutex.
  std::thread thread_;
  std::condition_variable wake_;
  bool resting_ = false;
  bool leave_ = false;
  bool died_ = false;        // its death was reported
  bool lost_ = false;        // counted no more; what it still does until it parks changes no count
  uint64_t seen_steps_ = 0;  // by the monitor
  uint64_t seen_cpu_ns_ = 0;
};

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // The pool, grown to at least `threads` workers. Its threads end when the last reference goes; those that are parked for
  // ever keep the object itself.
  static std::shared_ptr<Pool> acquire(uint32_t threads);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Makes a run active: its queued units are run until remove().
  void add(std::shared_ptr<PoolRun> run);
  void remove(const PoolRun* run);

  // A unit was queued that nobody runs.
  void unit_queued() {
    if (wakeable_.load(std::memory_order_seq_cst) != 0 && searching_.load(std::memory_order_seq_cst) == 0) wake_one();
  }
  // A timer was set to `due_ns` on the monotonic clock.
  void timer_armed(uint64_t due_ns) {
    if (due_ns < monitor_due_ns_.load(std::memory_order_seq_cst)) kick_monitor();
  }
  // Something for the monitor to look at: time moved, or a worker died.
  void kick_monitor();

  // The calling worker's kernel waits for another: somebody takes its place.
  void stall(Worker& worker);
  // The calling worker's kernel crashed: first call, last call before it parks. Neither allocates, and the pool's threads do
  // not end in between.
  static void begin_death(Worker& worker);
  void end_death(Worker& worker);
  // Parks the worker that runs this core, which never comes back. REQUIRES: the core's unit was killed while it ran, so that
  // a worker holds it, or is about to, and will neither go on nor report its death.
  void give_up(const wire::CoreContext* core);

  uint32_t threads() const;
  uint32_t threads_peak() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Runs = std::vector<std::shared_ptr<PoolRun>>;

  struct Lease;

  Pool() = default;
  void stop();
  void work(const std::shared_ptr<Worker>& worker);
  bool search(const Runs& runs, uint64_t epoch);
  bool rest(Worker& worker, Runs& runs, uint64_t& epoch);
  bool rest_if_surplus(Worker& worker, Runs& runs, uint64_t& epoch);
  bool sit_down(Worker& worker, Lock& lock, Runs& runs, uint64_t& epoch);
  void wake_one();
  void wake(Lock& lock);
  bool wake_or_start(Lock& lock);
  void start_worker(Lock& lock);
  void update_wakeable();
  uint32_t most_awake() const { return base_ + stalled_ + headroom_; }
  void no_longer_stalled(Worker& worker);
  uint32_t most_workers() const;
  void dismiss_surplus();
  void lose(Worker& worker, Lock& lock);

  // The monitor (pool_monitor.cpp).
  void monitor();
  void collect_dead(Lock& lock);
  void join_dismissed(Lock& lock);
  static uint64_t fire_timers(const Runs& runs);
  void look_for_stall(Lock& lock, uint64_t now_ns);
  void relieve_stalled(Lock& lock);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  uint32_t base_ = 0;  // workers that may be awake besides stalled ones
  uint32_t awake_ = 0;
  uint32_t stalled_ = 0;
  uint32_t headroom_ = 0;  // more workers that may be awake while some are stalled, so that a long chain of waits ends sooner
  uint32_t threads_peak_ = 0;
  std::vector<std::shared_ptr<Worker>> workers_;
  std::vector<Worker*> resters_;
  std::vector<std::shared_ptr<Worker>> dismissed_;  // to be joined
  Runs runs_;
  bool stopping_ = false;
  bool kicked_ = false;
  std::condition_variable monitor_wake_;
  std::condition_variable death_;
  std::thread monitor_;
  // Of the monitor's look for stalls.
  uint64_t last_progress_ns_ = 0;
  uint64_t longest_step_ns_ = 0;
  uint64_t patience_ns_ = 0;

  // Read without the mutex.
  alignas(kCacheLineBytes) std::atomic<uint32_t> wakeable_{0};  // resters that a queuer may wake
  std::atomic<uint64_t> epoch_{0};                              // changes with runs_
  std::atomic<uint64_t> monitor_due_ns_{0};                     // when the monitor looks again by itself
  alignas(kCacheLineBytes) std::atomic<uint32_t> searching_{0};
};

}  // namespace taskmill::sim
