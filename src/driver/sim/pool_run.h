// One run in the pool: its units, what the ports do, and how its halves end.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "driver/sim/clock.h"
#include "driver/sim/executor.h"
#include "driver/sim/kernel_guard.h"
#include "driver/sim/machine.h"
#include "driver/sim/pool.h"
#include "driver/sim/unit_board.h"

namespace taskmill::sim {

class PoolRun : public std::enable_shared_from_this<PoolRun> {
 public:
  PoolRun(std::shared_ptr<RunTicket> ticket, Pool* pool, Clock* clock, bool noncoherent);
  PoolRun(const PoolRun&) = delete;
  PoolRun& operator=(const PoolRun&) = delete;

  // Lays the run out and queues its units. False: the program refused it and the ticket was told.
  bool begin();
  bool has_orchestration() const { return entry_ != nullptr; }
  // Runs the orchestration on the calling thread, which may be parked in it once `given_up`. False: it died, and the thread
  // may only park.
  bool orchestrate(const std::atomic<bool>& given_up);

  // ---- called by the pool
  // Runs what is queued until nothing is, or this run has had its turn. True: there was something.
  bool run_units(Worker& worker);
  // None, one, or more (2).
  uint32_t waiting_units() const { return board_.waiting(); }
  uint32_t units() const { return machine_.cores() + machine_.scheduler_threads(); }
  // Marks schedulers whose timers are due; when the next is, on the monotonic clock.
  uint64_t fire_timers();
  // Ends what dead threads could not end themselves.
  void look_after_the_dead();

  // Somebody wrote to the registers.
  void poke();
  void abandon(const std::string& reason);

 private:
  static constexpr uint64_t kNoTimer = UINT64_MAX;
  struct Ports;
  struct CoreCall;
  static const PortTable& ports();

  static uint32_t scheduler_unit(uint32_t thread) { return UnitBoard::kFirstScheduler + thread; }
  bool run_cores(Worker& worker);
  bool run_schedulers(Worker& worker);
  void run_core(Worker& worker, uint32_t core);
  void run_scheduler(Worker& worker, uint32_t unit);
  [[noreturn]] void core_died(Worker& worker, uint32_t core, const Trap& trap);
  void core_reported(uint32_t core);
  void core_left();
  void aicpu_left();
  void end_half(Processor half, const std::string& fault);
  void queue(uint32_t unit);
  bool block(const uint32_t* word, uint32_t seen);
  void wake(const uint32_t* word);
  void arm_timer(uint32_t thread, uint64_t due_ns);
  void let_others_run(const uint32_t* word, uint32_t seen);
  void wake_waiting_kernels();

  Pool* const pool_;
  Clock* const clock_;
  const bool manual_clock_;
  const wire::AicpuEntry* const entry_;
  const wire::AicoreProgram* const program_;
  Machine machine_;
  UnitBoard board_;
  alignas(kCacheLineBytes) std::atomic<uint64_t> news_[2] = {};   // cores whose COND changed
  alignas(kCacheLineBytes) std::atomic<uint64_t> blocked_on_{0};  // address of the word that block() waits for
  std::atomic<uint32_t> waiting_kernels_{0};
  std::atomic<bool> abandoned_{false};
  std::atomic<uint32_t> cores_left_;
  std::atomic<uint32_t> aicpu_left_;                                    // orchestration and scheduler threads
  std::atomic<int32_t> dead_core_{-1};                                  // the first whose kernel died
  std::array<std::atomic<uint64_t>, UnitBoard::kUnitsPerWord> timers_;  // per scheduler thread

  std::mutex mutex_;
  std::condition_variable unblocked_;
  bool woken_ = false;                      // guarded by mutex_
  std::shared_ptr<RunTicket> ticket_;       // guarded by mutex_; null once both halves ended well
  uint32_t halves_left_;                    // guarded by mutex_
  bool ended_[2] = {};                      // by Processor; guarded by mutex_
  std::optional<Trap> orchestration_trap_;  // guarded by mutex_
  std::mutex kernels_mutex_;
  std::condition_variable kernels_;  // waiting kernels
};

}  // namespace taskmill::sim
