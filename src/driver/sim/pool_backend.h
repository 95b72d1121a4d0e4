// The pool behind a device: its runs share the process's workers; orchestrations have one thread of the device's own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "driver/sim/clock.h"
#include "driver/sim/executor.h"
#include "driver/sim/pool.h"
#include "driver/sim/pool_run.h"

namespace taskmill::sim {

struct PoolOptions {
  uint32_t threads = 1;
  bool noncoherent = false;
  Clock* clock = nullptr;
};

// Runs orchestrations one after another on a thread that is started with the first.
class OrchestrationThread {
 public:
  OrchestrationThread() : shared_(std::make_shared<Shared>()) {}
  // REQUIRES: everything started has ended, or give_up() was called.
  ~OrchestrationThread();
  OrchestrationThread(const OrchestrationThread&) = delete;
  OrchestrationThread& operator=(const OrchestrationThread&) = delete;

  void start(std::shared_ptr<PoolRun> run);
  // All runs were abandoned: waits a moment for the orchestration at hand to return, else leaves its thread behind, parked.
  void give_up();
  uint32_t threads() const;

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::shared_ptr<PoolRun>> queue;  // guarded by mutex, as all below
    bool busy = false;
    bool closing = false;
    bool died = false;  // its thread parks after a fault, or because it was given up
    std::atomic<bool> given_up{false};
  };
  static void main(const std::shared_ptr<Shared>& shared);
  std::shared_ptr<Shared> shared() const;

  mutable std::mutex mutex_;        // taken before Shared::mutex
  std::shared_ptr<Shared> shared_;  // guarded by mutex_; another one if its thread died
  std::thread thread_;              // guarded by mutex_
};

class PoolBackend final : public Executor {
 public:
  explicit PoolBackend(const PoolOptions& options);

  void start(std::shared_ptr<RunTicket> ticket) override;
  void poke() override;
  void abandon(const std::string& reason) override;
  uint64_t now_ns() const override { return options_.clock->now_ns(); }
  uint32_t threads() const override { return pool_->threads() + orchestration_.threads(); }
  uint32_t threads_peak() const override { return pool_->threads_peak() + orchestration_.threads(); }

 private:
  std::vector<std::shared_ptr<PoolRun>> live_runs();

  const PoolOptions options_;
  const std::shared_ptr<Pool> pool_;
  const std::unique_ptr<Clock::Registration> clock_registration_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<PoolRun>> runs_;  // guarded by mutex_
  std::optional<std::string> abandoned_;      // why no run starts any more; guarded by mutex_
  OrchestrationThread orchestration_;
};

}  // namespace taskmill::sim
