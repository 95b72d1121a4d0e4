// The seeded executor behind a device: runs go one after another, on the thread of the stream that completes the pair.
#pragma once

#include "driver/sim/executor.h"
#include "driver/sim/seeded_executor.h"

namespace taskmill::sim {

class SeededBackend final : public Executor {
 public:
  explicit SeededBackend(SeededOptions options) : executor_(std::move(options)) {}

  void start(std::shared_ptr<RunTicket> run) override;
  // Runs the cores of half-launched runs that rested without all of them told to leave once more.
  void poke() override;
  void abandon(const std::string& reason) override;
  uint64_t now_ns() const override { return executor_.now_ns(); }
  uint32_t threads() const override { return executor_.threads(); }
  uint32_t threads_peak() const override { return executor_.threads(); }  // its spares stay

 private:
  void play(const std::shared_ptr<RunTicket>& run);
  bool rests(const std::shared_ptr<RunTicket>& run, uint64_t pokes);
  void tell(RunTicket& run, const SeededOutcome& outcome);

  SeededExecutor executor_;
  std::mutex running_;  // one run at a time
  std::mutex mutex_;
  std::string reason_;                               // of abandon; guarded by mutex_
  std::vector<std::shared_ptr<RunTicket>> open_;     // runs with a half that has not ended; guarded by mutex_
  std::vector<std::shared_ptr<RunTicket>> resting_;  // those of them that a poke may end; guarded by mutex_
  uint64_t pokes_ = 0;                               // guarded by mutex_
};

}  // namespace taskmill::sim
