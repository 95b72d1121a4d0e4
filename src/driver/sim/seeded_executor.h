// Runs the two device programs of a run one step at a time, in an order drawn from a seed, on a virtual clock. The same
// seed, programs and input give the same order, the same times and the same results.
//
// Units take turns at steps; the orchestration may be interrupted where it blocks and at AicpuPort::notify, a kernel where
// it waits (wait_until). Nothing outside the run can be waited for: when nothing can run, the clock jumps to the next
// armed timer or to the end of the next costed work, and without one the run is deadlocked. A kernel that spins without
// wait_until never lets another run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/core_mask.h"
#include "driver/sim/unit.h"
#include "wire/program.h"

namespace taskmill::sim {

// Test hooks; empty ones do nothing.
struct SeededHooks {
  // Which of the units that can run goes next: an index into `units`. Empty: drawn from the seed.
  std::function<size_t(std::span<const Unit> units)> choose;
  // True: this port call of `caller` does nothing.
  std::function<bool(PortCall call, Unit caller)> drop;
  // Virtual ns after the launch at which a unit starts.
  std::function<uint64_t(Unit unit)> start_delay_ns;
  // Called before each step and each resumption.
  std::function<void(Unit unit)> before_step;
};

struct SeededOptions {
  uint64_t seed = 1;
  CostTable cost = {};
  SeededHooks hooks = {};
  bool noncoherent = false;
  uint64_t max_steps = 0;  // ends a run that never comes to rest; 0: no limit
};

enum class RunEnd : uint8_t {
  kFinished,   // everything returned
  kRefused,    // init returned a code; nothing else was called
  kStuck,      // the AICPU is done, but cores are not and never will be
  kDeadlock,   // the AICPU is not done, nothing can run and no timer is armed
  kStepLimit,  // SeededOptions::max_steps
  kAbandoned,  // SeededExecutor::abandon
};

struct SeededOutcome {
  RunEnd end = RunEnd::kFinished;
  int32_t refusal = 0;  // the ErrorCode of a refused run
  uint64_t virtual_ns = 0;
  uint64_t kernel_ns = 0;  // virtual, summed over the cores
  uint64_t kernels = 0;
  uint32_t peak_kernels = 0;  // most kernels between acknowledgement and FIN at once
  uint64_t steps = 0;
  uint64_t order_hash = 0;  // of which unit ran when
  CoreMask trapped;         // cores whose kernel died
  CoreMask stuck;           // cores that did not leave and did not trap
  std::string waiting;      // who waits for what, unless finished
  std::string fault;        // the orchestration died: how

  bool finished() const { return end == RunEnd::kFinished; }
};

class SeededExecutor {
 public:
  explicit SeededExecutor(SeededOptions options);
  // Threads of kernels that died or never ended stay behind, parked.
  ~SeededExecutor();
  SeededExecutor(const SeededExecutor&) = delete;
  SeededExecutor& operator=(const SeededExecutor&) = delete;

  // One run, to its end. The caller's ports in `launch` are replaced. One at a time. The registers need not be zeroed.
  // Memory that stuck kernels may touch must outlive the process if the outcome has trapped or stuck cores.
  SeededOutcome run(const wire::AicpuEntry& entry, const wire::AicoreProgram& program, const wire::LaunchBlock& launch);
  // The same for one half of a run: a null entry or program is left out. `kept_alive` lives as long as a thread of the run.
  SeededOutcome run(const wire::AicpuEntry* entry, const wire::AicoreProgram* program, const wire::LaunchBlock& launch,
                    std::vector<std::shared_ptr<const void>> kept_alive = {});
  // Ends the current run and every later one. From any thread.
  void abandon();

  // The virtual clock; it goes on from run to run. From any thread.
  uint64_t now_ns() const;
  uint32_t threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace taskmill::sim
