// Runs the user's orchestration on the AICPU and turns what it says into the graph. Lives in the run region, has a thread of
// its own, and never runs scheduler code.
#pragma once

#include <cstdint>

#include "device/aicpu/shared_state.h"
#include "graph/builder.h"
#include "taskmill/orchestration.h"
#include "wire/span_record.h"

namespace taskmill::aicpu {

// What the builder needs from its surroundings (graph/environment.h).
class OrchestratorEnvironment {
 public:
  void init(SharedState* shared);

  bool fatal() const { return abandoned_ || shared_->error.claimed(); }
  void fail(const wire::RunError& error) { shared_->fail(error); }
  // Hands the task to a scheduler. The notification comes after the push, so a scheduler that was about to go idle without
  // having seen the task makes another pass.
  void ready(uint32_t slot);
  uint64_t completed() const { return shared_->completed_total(); }
  // wait_word.h has the argument; the condition's stores are CompletionCount::publish and ErrorWord::raise.
  bool wait_completed(uint64_t seen);
  void publish(const void* address, uint64_t bytes);
  void invalidate(const void* address, uint64_t bytes);

  // Puts a span on the orchestrator's lane, if this run is traced.
  void record(wire::SpanKind kind, uint64_t start_ns) const;
  uint64_t trace_clock_ns() const;

 private:
  SharedState* shared_ = nullptr;
  bool abandoned_ = false;
};

class Orchestrator {
 public:
  void init(SharedState* shared);
  // AicpuEntry::orchestrate.
  void run();
  // REQUIRES: the end of the orchestration was seen.
  uint64_t groups() const { return builder_.groups(); }
  wire::RingUse ring_use(uint32_t ring) const { return builder_.use(ring); }

 private:
  static const OrchestrationOps kOps;

  void report_fatal(int32_t code, const char* message);

  SharedState* shared_ = nullptr;
  OrchestratorEnvironment environment_;
  graph::Builder<OrchestratorEnvironment> builder_;
};

}  // namespace taskmill::aicpu
