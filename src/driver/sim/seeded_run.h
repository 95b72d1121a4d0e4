// One run in the seeded executor: the state of its units, and the loop that whoever holds the baton goes on with.
// Everything but the fields said to be shared belongs to the holder of the baton.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/sim/crew.h"
#include "driver/sim/kernel_guard.h"
#include "driver/sim/machine.h"
#include "driver/sim/seeded_executor.h"
#include "driver/sim/unit_set.h"

namespace taskmill::sim {

class SeededRun final : public Carrier::Act, public std::enable_shared_from_this<SeededRun> {
 public:
  struct Setup {
    const wire::AicpuEntry* entry;       // null: no AICPU half
    const wire::AicoreProgram* program;  // null: no AICore half
    std::shared_ptr<const SeededOptions> options;
    uint64_t random_state;                       // the executor's
    std::shared_ptr<std::atomic<uint64_t>> now;  // the executor's virtual clock
    std::shared_ptr<Crew> crew;
    std::vector<std::shared_ptr<const void>> kept_alive;
  };

  SeededRun(Setup setup, const wire::LaunchBlock& launch);

  // Plays the run to its end on carriers of the crew; the caller only waits.
  SeededOutcome play_out();
  // From any thread.
  void abandon();
  uint64_t random_state() const { return random_; }

 private:
  enum class State : uint8_t { kIdle, kRunning, kWaiting, kDone };
  enum class Wait : uint8_t { kTurn, kWord, kWake };  // a place in the order; a word that a kernel polls; wake()

  struct UnitState {
    Unit unit;
    State state = State::kIdle;
    bool pending = false;     // to be stepped
    bool resumable = false;   // kWaiting: may go on
    uint64_t due = 0;         // of a pending step
    uint64_t busy_until = 0;  // no step before: the last one's cost
    uint64_t resume_at = 0;   // kWaiting: not before
    uint64_t timer = UINT64_MAX;
    Wait wait = Wait::kTurn;
    Carrier* carrier = nullptr;  // kWaiting: whose stack holds the call
    const uint32_t* word = nullptr;
    uint32_t seen = 0;
    uint32_t cond = 0;    // core: COND after its last step
    bool kernel = false;  // core: between acknowledgement and FIN
  };
  static constexpr size_t kNone = UnitSet::kCapacity;  // no unit
  static constexpr size_t kOrchestrator = 0;

  static const PortTable& ports();
  struct Ports;  // the port functions

  SeededOutcome give_up_holder();

  // The loop (seeded_run.cpp).
  void play(Carrier& carrier) override;
  size_t next();
  size_t choose();
  bool advance_clock();
  void admit_kernels_that_wait();
  void refresh(size_t i);
  void mark(size_t i, uint64_t due);
  static uint64_t effective_due(const UnitState& u);
  void finish(Carrier& carrier);
  void begin_to_end(RunEnd end);
  RunEnd how_it_rests() const;
  std::string who_waits() const;
  bool all_done(UnitKind kind) const;
  uint64_t draw();

  // Steps (seeded_steps.cpp).
  bool run_unit(size_t i, Carrier& carrier);
  bool orchestrate();
  void step_scheduler(size_t i);
  bool step_core(size_t i);
  void account_core(size_t i);
  void core_reported(uint32_t core);
  bool suspend(Wait wait);
  [[noreturn]] void lose_carrier();
  void mark_schedulers(uint64_t due);
  bool dropped(PortCall call, Unit caller) const;
  Unit current_unit() const;

  size_t scheduler_unit(uint32_t thread) const { return 1 + thread; }
  size_t core_unit(uint32_t core) const { return 1 + machine_.scheduler_threads() + core; }
  uint64_t now() const { return setup_.now->load(std::memory_order_relaxed); }  // only the holder of the baton moves it

  const Setup setup_;
  Machine machine_;
  const uint64_t start_ns_;
  uint64_t random_;
  std::vector<UnitState> units_;
  UnitSet ready_;            // can run now
  UnitSet delayed_;          // could run but for their due time
  size_t words_polled_ = 0;  // kernels that wait for a word
  size_t current_ = kNone;
  size_t first_ = kNone;  // chosen already, for the spare that is given the baton
  uint64_t busy_ns_ = 0;  // of the current scheduler step: its dispatches so far
  CoreMask news_;
  uint32_t kernels_now_ = 0;
  bool ending_ = false;
  std::optional<Trap> orchestration_trap_;
  SeededOutcome outcome_;

  // Shared.
  std::atomic<bool> abandoned_{false};
  std::atomic<bool> given_up_{false};       // the holder of the baton must park when it comes back
  std::atomic<Carrier*> carrier_{nullptr};  // the holder
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;       // guarded by mutex_
  bool wants_carrier_ = false;  // guarded by mutex_: the holder died, a spare must go on
};

}  // namespace taskmill::sim
