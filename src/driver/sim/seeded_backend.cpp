#include "driver/sim/seeded_backend.h"

#include <fmt/format.h>

namespace taskmill::sim {

void SeededBackend::start(std::shared_ptr<RunTicket> run) {
  {
    const std::lock_guard lock(mutex_);
    open_.push_back(run);
  }
  play(run);
}

void SeededBackend::poke() {
  std::vector<std::shared_ptr<RunTicket>> resting;
  {
    const std::lock_guard lock(mutex_);
    ++pokes_;
    resting = std::exchange(resting_, {});
  }
  for (const auto& run : resting) play(run);
}

void SeededBackend::play(const std::shared_ptr<RunTicket>& run) {
  const std::lock_guard one(running_);
  const RunTicket::Program& program = run->program();
  for (;;) {
    const uint64_t pokes = [&] {
      const std::lock_guard lock(mutex_);
      return pokes_;
    }();
    const SeededOutcome outcome = executor_.run(program.entry, program.program, program.launch, program.kept_alive);
    const bool waits = program.entry == nullptr && outcome.end == RunEnd::kStuck && outcome.trapped.empty();
    if (!waits) {
      tell(*run, outcome);
      return;
    }
    if (rests(run, pokes)) return;
  }
}

// The cores of a half-launched run have no state to keep: they say hello and wait for the word to leave, which stays where it
// was written. False: somebody poked after `pokes`, so they are to look again.
bool SeededBackend::rests(const std::shared_ptr<RunTicket>& run, uint64_t pokes) {
  const std::lock_guard lock(mutex_);
  if (pokes_ != pokes) return false;
  resting_.push_back(run);
  return true;
}

void SeededBackend::tell(RunTicket& run, const SeededOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  switch (outcome.end) {
    case RunEnd::kFinished:
    case RunEnd::kRefused:
      run.end_both("");
      break;
    case RunEnd::kStuck:
      run.end(Processor::kAicpu, "");
      if (!outcome.stuck.empty()) return;  // its AICore half goes on until it is abandoned
      run.end(Processor::kAicore, fmt::format("the kernel on core {} died", outcome.trapped.first()));
      break;
    case RunEnd::kDeadlock:
      run.end_both("nothing can run any more: " + outcome.waiting);
      break;
    case RunEnd::kStepLimit:
      run.end_both(fmt::format("the run did not rest within {} steps", outcome.steps));
      break;
    case RunEnd::kAbandoned:
      run.end_both(outcome.fault.empty() ? "the device was abandoned: " + reason_ : outcome.fault);
      break;
  }
  std::erase_if(open_, [&](const auto& other) { return other.get() == &run; });
}

void SeededBackend::abandon(const std::string& reason) {
  std::vector<std::shared_ptr<RunTicket>> open;
  {
    const std::lock_guard lock(mutex_);
    reason_ = reason;
    open = std::exchange(open_, {});
    resting_.clear();
  }
  executor_.abandon();
  const std::lock_guard one(running_);  // the current run has returned: the programs touch nothing any more
  for (const auto& run : open) run->end_both("the device was abandoned: " + reason);
}

}  // namespace taskmill::sim
