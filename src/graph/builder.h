// Builds the graph: each submit is checked, given room in the rings, ordered behind the tasks whose bytes it touches, and
// handed over once nothing is left to wait for.
//
// Use: init, then submit / scope_begin / scope_end in any order, then finish. All calls come from one thread, the
// orchestrator. The builder's memory may be zeroed or not: init sets everything.
#pragma once

#include <cstdint>

#include "graph/environment.h"
#include "graph/hazard_policy.h"
#include "graph/region.h"
#include "graph/scope_stack.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"
#include "wire/run_error.h"

namespace taskmill::graph {

template <BuilderEnvironment Environment, class Hazards = NativeHazards>
class Builder {
 public:
  // Makes the entry tensors and opens the entry scope. `region` is laid out as RegionLayout::make says for this launch, and
  // that layout is valid. `environment` and `launch` must outlive the builder.
  void init(const GraphRegion& region, Environment& environment, const wire::LaunchBlock& launch);

  const Tensor& entry_tensor(uint32_t index) const { return region_.entry_tensors[index]; }
  // All, in order: what OrchestrationArgs is made of.
  const Tensor* entry_tensors() const { return region_.entry_tensors; }

  // A task that cannot be made ends the run (fatal()); from then on submits are counted and do nothing.
  void submit(const TaskSpec& spec, SubmitResult& result);
  // `file` must outlive the run.
  void scope_begin(const char* file, uint32_t line);
  void scope_end();
  // The orchestration has returned, or was left by an exception: ends what scopes are open and says what is still to be
  // said. Call it before anything else is concluded from the run.
  void finish();

  // True as soon as the run has failed. A deadlock is told to the environment when the scope concerned ends (it counts what
  // the scope would have needed), so the orchestration's is_fatal() must come from here.
  bool fatal() const;

  // Tasks that were made; each completes, unless the run fails.
  uint64_t submitted() const;
  // Submits that came with or after the fatal error.
  uint64_t refused() const;
  wire::PeakUse peak() const;

 private:
  GraphRegion region_;
  Environment* environment_ = nullptr;
  const wire::LaunchBlock* launch_ = nullptr;
  ScopeStack scopes_;
};

}  // namespace taskmill::graph
