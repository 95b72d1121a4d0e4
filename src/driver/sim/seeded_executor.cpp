#include "driver/sim/seeded_executor.h"

#include <mutex>

#include "driver/sim/crew.h"
#include "driver/sim/seeded_run.h"

namespace taskmill::sim {

struct SeededExecutor::State {
  std::shared_ptr<const SeededOptions> options;
  HandlerInstallation handlers;
  std::shared_ptr<Crew> crew = Crew::make();
  // Outlives the executor with the carriers that stay behind.
  std::shared_ptr<std::atomic<uint64_t>> now = std::make_shared<std::atomic<uint64_t>>(0);
  uint64_t random_state = 0;

  std::mutex mutex;
  std::shared_ptr<SeededRun> current;  // guarded by mutex
  bool abandoned = false;              // guarded by mutex
};

SeededExecutor::SeededExecutor(SeededOptions options) : state_(std::make_unique<State>()) {
  state_->random_state = options.seed;
  state_->options = std::make_shared<const SeededOptions>(std::move(options));
}

SeededExecutor::~SeededExecutor() { state_->crew->disband(); }

SeededOutcome SeededExecutor::run(const wire::AicpuEntry& entry, const wire::AicoreProgram& program, const wire::LaunchBlock& launch) {
  return run(&entry, &program, launch);
}

SeededOutcome SeededExecutor::run(const wire::AicpuEntry* entry, const wire::AicoreProgram* program, const wire::LaunchBlock& launch,
                                  std::vector<std::shared_ptr<const void>> kept_alive) {
  const auto run = std::make_shared<SeededRun>(SeededRun::Setup{.entry = entry,
                                                                .program = program,
                                                                .options = state_->options,
                                                                .random_state = state_->random_state,
                                                                .now = state_->now,
                                                                .crew = state_->crew,
                                                                .kept_alive = std::move(kept_alive)},
                                               launch);
  {
    const std::lock_guard lock(state_->mutex);
    state_->current = run;
    if (state_->abandoned) run->abandon();
  }
  SeededOutcome outcome = run->play_out();
  state_->random_state = run->random_state();
  const std::lock_guard lock(state_->mutex);
  state_->current = nullptr;
  return outcome;
}

void SeededExecutor::abandon() {
  const std::lock_guard lock(state_->mutex);
  state_->abandoned = true;
  if (state_->current) state_->current->abandon();
}

uint64_t SeededExecutor::now_ns() const { return state_->now->load(std::memory_order_relaxed); }  // a clock that only grows

uint32_t SeededExecutor::threads() const { return state_->crew->threads(); }

}  // namespace taskmill::sim
