#include "driver/sim/pool.h"

#include <algorithm>

#include "driver/sim/clock.h"
#include "driver/sim/kernel_guard.h"
#include "driver/sim/pause.h"
#include "driver/sim/pool_run.h"

namespace taskmill::sim {
namespace {

constexpr uint64_t kSearchNs = 40'000;
constexpr uint32_t kLooksPerClockRead = 32;

thread_local __attribute__((tls_model("initial-exec"))) Worker* current_worker = nullptr;

uint32_t waiting_units(const std::vector<std::shared_ptr<PoolRun>>& runs) {
  uint32_t count = 0;
  for (const auto& run : runs) count += run->waiting_units();
  return count;
}

}  // namespace

Worker* Worker::current() { return current_worker; }

// ---- life

// What devices share: the end of the last one's share ends the threads.
struct Pool::Lease {
  const std::shared_ptr<Pool> pool{new Pool};
  ~Lease() { pool->stop(); }
};

std::shared_ptr<Pool> Pool::acquire(uint32_t threads) {
  static std::mutex mutex;
  static std::weak_ptr<Lease> shared;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Lease> lease = shared.lock();
  if (lease == nullptr) {
    lease = std::make_shared<Lease>();
    lease->pool->monitor_ = std::thread([pool = lease->pool] { pool->monitor(); });
    shared = lease;
  }
  Pool& pool = *lease->pool;
  Lock pool_lock(pool.mutex_);
  pool.base_ = std::max(pool.base_, threads);
  while (pool.workers_.size() < pool.base_) pool.start_worker(pool_lock);
  return {lease, &pool};
}

void Pool::stop() {
  std::vector<std::shared_ptr<Worker>> leaving;
  {
    Lock lock(mutex_);
    // A dying worker still has its death to report.
    death_.wait(lock, [&] { return std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) { return !worker->dying_; }); });
    stopping_ = true;
    leaving = workers_;
    leaving.insert(leaving.end(), dismissed_.begin(), dismissed_.end());
    for (const auto& worker : leaving) {
      worker->leave_ = true;
      worker->wake_.notify_one();
    }
    monitor_wake_.notify_one();
  }
  monitor_.join();
  for (const auto& worker : leaving) {
    if (worker->thread_.joinable()) worker->thread_.join();
  }
}

void Pool::start_worker(Lock&) {
  auto worker = std::make_shared<Worker>();
  workers_.push_back(worker);
  resters_.reserve(workers_.size());
  ++awake_;
  threads_peak_ = std::max(threads_peak_, static_cast<uint32_t>(workers_.size()) + 1);
  worker->thread_ = std::thread([self = shared_from_this(), worker] { self->work(worker); });
}

uint32_t Pool::threads() const {
  const Lock lock(mutex_);
  return static_cast<uint32_t>(workers_.size()) + 1;
}

uint32_t Pool::threads_peak() const {
  const Lock lock(mutex_);
  return threads_peak_;
}

void Pool::add(std::shared_ptr<PoolRun> run) {
  Lock lock(mutex_);
  if (runs_.empty()) {
    last_progress_ns_ = monotonic_clock().now_ns();
    longest_step_ns_ = 0;
    patience_ns_ = 0;
  }
  const uint32_t wanted = run->units();
  runs_.push_back(std::move(run));
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  for (uint32_t woken = 0; woken < wanted && wake_or_start(lock);) ++woken;
  monitor_wake_.notify_one();
}

void Pool::remove(const PoolRun* run) {
  const Lock lock(mutex_);
  std::erase_if(runs_, [&](const auto& other) { return other.get() == run; });
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (runs_.empty()) dismiss_surplus();
}

// ---- working and resting

void Pool::work(const std::shared_ptr<Worker>& worker) {
  const GuardedThread guarded;
  current_worker = worker.get();
  Runs runs;
  uint64_t epoch = UINT64_MAX;
  for (size_t first = 0;; ++first) {
    if (epoch != epoch_.load(std::memory_order_acquire)) {
      const Lock lock(mutex_);
      runs = runs_;
      epoch = epoch_.load(std::memory_order_relaxed);  // changes under the mutex only
    }
    bool worked = false;
    for (size_t i = 0; i < runs.size(); ++i) worked |= runs[(first + i) % runs.size()]->run_units(*worker);
    if (worker->stalled() && !rest_if_surplus(*worker, runs, epoch)) return;
    if (worked) continue;
    if (search(runs, epoch)) continue;
    if (!rest(*worker, runs, epoch)) return;
  }
}

// Looks for work for a while. True: there is some, and this worker no longer counts as searching. The last searcher to find
// work has a rester woken if there is more.
bool Pool::search(const Runs& runs, uint64_t epoch) {
  const bool too_many = searching_.fetch_add(1, std::memory_order_seq_cst) >= (base_ + 1) / 2;
  const uint64_t begin = monotonic_clock().now_ns();
  for (uint32_t look = 1;; ++look) {
    const bool changed = epoch_.load(std::memory_order_acquire) != epoch;
    if (changed || waiting_units(runs) != 0) {
      // Counted after it stopped: who queued a unit before that relied on this searcher.
      const bool last = searching_.fetch_sub(1, std::memory_order_seq_cst) == 1;
      if (last && (changed || waiting_units(runs) > 1)) unit_queued();
      return true;
    }
    if (runs.empty() || too_many) return false;
    pause();
    if (look % kLooksPerClockRead == 0 && monotonic_clock().now_ns() - begin > kSearchNs) return false;
  }
}

// Announce, look again, commit. False: the thread is to end.
bool Pool::rest(Worker& worker, Runs& runs, uint64_t& epoch) {
  Lock lock(mutex_);
  worker.resting_ = true;
  resters_.push_back(&worker);
  --awake_;
  update_wakeable();
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  const uint32_t waiting = waiting_units(runs);
  if (waiting != 0 || epoch_.load(std::memory_order_seq_cst) != epoch) {
    worker.resting_ = false;
    std::erase(resters_, &worker);
    ++awake_;
    update_wakeable();
    if (waiting > 1) wake_or_start(lock);
    return !worker.leave_;
  }
  return sit_down(worker, lock, runs, epoch);
}

// A stalled worker's step ended. If others run in its place it rests at once: they look after what is queued.
bool Pool::rest_if_surplus(Worker& worker, Runs& runs, uint64_t& epoch) {
  Lock lock(mutex_);
  if (!worker.stalled_.load(std::memory_order_relaxed)) return true;
  no_longer_stalled(worker);
  if (awake_ <= most_awake()) {
    update_wakeable();
    return true;
  }
  worker.resting_ = true;
  resters_.push_back(&worker);
  --awake_;
  update_wakeable();
  return sit_down(worker, lock, runs, epoch);
}

// Who rests keeps no run alive, and leaves if it is one too many. Who wakes a rester counts it as awake and searching.
bool Pool::sit_down(Worker& worker, Lock& lock, Runs& runs, uint64_t& epoch) {
  if (runs_.empty()) dismiss_surplus();
  lock.unlock();  // a run may be gone with its last reference
  runs.clear();
  epoch = UINT64_MAX;
  lock.lock();
  worker.wake_.wait(lock, [&] { return !worker.resting_ || worker.leave_; });
  if (worker.leave_) return false;
  if (searching_.fetch_sub(1, std::memory_order_seq_cst) == 1 && waiting_units(runs_) > 1) wake_or_start(lock);
  return true;
}

void Pool::no_longer_stalled(Worker& worker) {
  worker.stalled_.store(false, std::memory_order_relaxed);
  if (--stalled_ == 0) headroom_ = 0;
}

void Pool::update_wakeable() {
  const uint32_t room = awake_ < most_awake() ? most_awake() - awake_ : 0;
  wakeable_.store(std::min(room, static_cast<uint32_t>(resters_.size())), std::memory_order_seq_cst);
}

void Pool::wake_one() {
  const ParkShield shield;
  Lock lock(mutex_);
  if (wakeable_.load(std::memory_order_relaxed) != 0) wake(lock);  // changes under the mutex only
}

// REQUIRES: somebody rests.
void Pool::wake(Lock&) {
  Worker& worker = *resters_.back();
  resters_.pop_back();
  worker.resting_ = false;
  ++awake_;
  searching_.fetch_add(1, std::memory_order_seq_cst);
  update_wakeable();
  worker.wake_.notify_one();
}

// ---- stalls and losses

void Pool::stall(Worker& worker) {
  const ParkShield shield;
  Lock lock(mutex_);
  if (worker.lost_ || worker.stalled_.load(std::memory_order_relaxed)) return;
  worker.stalled_.store(true, std::memory_order_relaxed);
  ++stalled_;
  // Also with nothing queued: those who queue units later look for resters only.
  if (!wake_or_start(lock)) update_wakeable();
}

// Another worker awake, if the number of those not stalled allows. False: it does not.
bool Pool::wake_or_start(Lock& lock) {
  if (awake_ >= most_awake()) return false;
  if (!resters_.empty()) {
    wake(lock);
    return true;
  }
  if (workers_.size() >= most_workers()) return false;
  start_worker(lock);
  update_wakeable();
  return true;
}

uint32_t Pool::most_workers() const {
  uint32_t units = 0;
  for (const auto& run : runs_) units += run->units();
  return base_ + units;
}

void Pool::dismiss_surplus() {
  while (workers_.size() > base_ && !resters_.empty()) {
    const Worker* worker = resters_.back();
    resters_.pop_back();
    const auto place = std::find_if(workers_.begin(), workers_.end(), [&](const auto& other) { return other.get() == worker; });
    (*place)->leave_ = true;
    (*place)->wake_.notify_one();
    dismissed_.push_back(std::move(*place));
    workers_.erase(place);
    kicked_ = true;  // the monitor joins them
    monitor_wake_.notify_one();
  }
  update_wakeable();
}

// The pool no longer counts the worker, whose thread never comes back, and starts another in its place.
void Pool::lose(Worker& worker, Lock& lock) {
  if (worker.stalled_.load(std::memory_order_relaxed)) no_longer_stalled(worker);
  worker.lost_ = true;
  --awake_;
  worker.thread_.detach();
  std::erase_if(workers_, [&](const auto& other) { return other.get() == &worker; });
  while (workers_.size() < base_) start_worker(lock);
  update_wakeable();
  if (waiting_units(runs_) != 0) wake_or_start(lock);
}

void Pool::begin_death(Worker& worker) { worker.dying_ = true; }

void Pool::end_death(Worker& worker) {
  const Lock lock(mutex_);
  worker.died_ = true;
  kicked_ = true;
  monitor_wake_.notify_one();
}

void Pool::give_up(const wire::CoreContext* core) {
  Lock lock(mutex_);
  const auto holder = [&] {
    return std::find_if(workers_.begin(), workers_.end(), [&](const auto& worker) { return worker->holds(core); });
  };
  auto place = holder();
  // Some instructions lie between the take or the release of a unit and the claim.
  for (; place == workers_.end(); place = holder()) pause();
  Worker& worker = **place;
  park_thread(worker.thread_.native_handle());
  lose(worker, lock);
}

void Pool::kick_monitor() {
  const ParkShield shield;
  const Lock lock(mutex_);
  kicked_ = true;
  monitor_wake_.notify_one();
}

}  // namespace taskmill::sim
