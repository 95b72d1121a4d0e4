#include "driver/sim/pool_backend.h"

#include <chrono>

#include "driver/sim/kernel_guard.h"

namespace taskmill::sim {
namespace {

// How long an orchestration may take to return after its run was abandoned.
constexpr auto kGrace = std::chrono::seconds(1);

}  // namespace

OrchestrationThread::~OrchestrationThread() {
  {
    std::unique_lock lock(shared_->mutex);
    shared_->closing = true;
    shared_->changed.notify_all();
    // Its run may be over before the thread has told how it came out of it.
    shared_->changed.wait(lock, [&] { return !shared_->busy || shared_->died; });
    if (shared_->died && thread_.joinable()) thread_.detach();
  }
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<OrchestrationThread::Shared> OrchestrationThread::shared() const {
  const std::lock_guard lock(mutex_);
  return shared_;
}

void OrchestrationThread::start(std::shared_ptr<PoolRun> run) {
  const std::lock_guard own(mutex_);
  std::unique_lock lock(shared_->mutex);
  if (shared_->died) {
    thread_.detach();
    const std::shared_ptr<Shared> old = std::exchange(shared_, std::make_shared<Shared>());
    lock = std::unique_lock(shared_->mutex);  // lets go of the old one's
  }
  if (!thread_.joinable()) thread_ = std::thread([shared = shared_] { main(shared); });
  shared_->queue.push_back(std::move(run));
  shared_->changed.notify_all();
}

void OrchestrationThread::give_up() {
  const std::shared_ptr<Shared> current = shared();  // it stays so: no run is started any more
  {
    std::unique_lock lock(current->mutex);
    current->queue.clear();
    if (current->changed.wait_for(lock, kGrace, [&] { return !current->busy || current->died; })) return;
    current->died = true;
    current->given_up.store(true, std::memory_order_release);
  }
  const std::lock_guard own(mutex_);
  park_thread(thread_.native_handle());
}

uint32_t OrchestrationThread::threads() const {
  const std::lock_guard own(mutex_);
  const std::lock_guard lock(shared_->mutex);
  return thread_.joinable() && !shared_->died ? 1 : 0;
}

void OrchestrationThread::main(const std::shared_ptr<Shared>& shared) {
  const GuardedThread guarded;
  std::unique_lock lock(shared->mutex);
  for (;;) {
    shared->changed.wait(lock, [&] { return shared->closing || !shared->queue.empty(); });
    if (shared->queue.empty()) return;
    const std::shared_ptr<PoolRun> run = std::move(shared->queue.front());
    shared->queue.pop_front();
    shared->busy = true;
    lock.unlock();
    const bool lives = run->orchestrate(shared->given_up);
    lock.lock();
    shared->busy = false;
    if (!lives) shared->died = true;
    shared->changed.notify_all();
    if (shared->died) {
      lock.unlock();
      park_for_ever();
    }
  }
}

PoolBackend::PoolBackend(const PoolOptions& options)
    : options_(options),
      pool_(Pool::acquire(options.threads)),
      clock_registration_(options.clock->watch([pool = pool_.get()] { pool->kick_monitor(); })) {}

void PoolBackend::start(std::shared_ptr<RunTicket> ticket) {
  const auto run = std::make_shared<PoolRun>(std::move(ticket), pool_.get(), options_.clock, options_.noncoherent);
  if (!run->begin()) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(runs_, [](const auto& other) { return other.expired(); });
  runs_.push_back(run);
  if (abandoned_) {
    run->abandon(*abandoned_);
    return;
  }
  pool_->add(run);
  if (run->has_orchestration()) orchestration_.start(run);
}

std::vector<std::shared_ptr<PoolRun>> PoolBackend::live_runs() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<PoolRun>> live;
  for (const auto& run : runs_) {
    if (auto still = run.lock()) live.push_back(std::move(still));
  }
  return live;
}

void PoolBackend::poke() {
  for (const auto& run : live_runs()) run->poke();
}

void PoolBackend::abandon(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = reason;
  }
  for (const auto& run : live_runs()) run->abandon(reason);
  orchestration_.give_up();
}

}  // namespace taskmill::sim
