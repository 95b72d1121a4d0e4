// What the orchestrator and the scheduler threads of one run share. Each line has one writer, but for the inboxes (contract:
// graph/ready_list.h), the error and the wait word, whose files say who may write.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/align.h"
#include "device/aicpu/error_word.h"
#include "device/aicpu/wait_word.h"
#include "graph/ready_list.h"
#include "graph/region.h"
#include "wire/launch_block.h"

namespace taskmill::aicpu {

constexpr uint32_t kMaxSchedulers = 4;

// Tasks that one scheduler completed. Their consumers and pins were released before (contract 1).
class alignas(kCacheLineBytes) CompletionCount {
 public:
  // The scheduler. seq_cst: one side of the argument in wait_word.h; its release half is contract 1's.
  void publish(uint64_t count) { count_.store(count, std::memory_order_seq_cst); }
  // The orchestrator. seq_cst: the other side.
  uint64_t published() const { return count_.load(std::memory_order_seq_cst); }

 private:
  std::atomic<uint64_t> count_{0};
};

// The orchestration has returned, and how many tasks it submitted.
class alignas(kCacheLineBytes) OrchestrationEnd {
 public:
  // The orchestrator, after its last submit; it notifies the schedulers after it.
  void announce(uint64_t submitted) {
    submitted_ = submitted;
    reached_.store(true, std::memory_order_release);
  }
  bool reached() const { return reached_.load(std::memory_order_acquire); }
  // REQUIRES: reached() was seen.
  uint64_t submitted() const { return submitted_; }

 private:
  std::atomic<bool> reached_{false};
  uint64_t submitted_ = 0;
};

struct SharedState {
  // Set by init, constant afterwards.
  const wire::LaunchBlock* launch = nullptr;
  graph::GraphRegion graph;
  uint32_t schedulers = 0;

  graph::ReadyInbox inbox[kMaxSchedulers];    // the orchestrator pushes, scheduler i takes
  CompletionCount completed[kMaxSchedulers];  // scheduler i
  ErrorWord error;                            // whoever is first
  WaitWord progress;                          // the orchestrator sleeps, schedulers tell
  OrchestrationEnd end;                       // the orchestrator

  uint64_t completed_total() const {
    uint64_t total = 0;
    for (uint32_t i = 0; i < schedulers; ++i) total += completed[i].published();
    return total;
  }

  const wire::CorePort& cores() const { return *launch->core_port; }
  const wire::AicpuPort& aicpu() const { return *launch->aicpu_port; }

  void notify_schedulers() const {
    for (uint32_t i = 0; i < schedulers; ++i) aicpu().notify(aicpu().context, i);
  }

  // Ends the run with this error unless it has one. Told to everyone who may sleep: schedulers stop dispatching, the
  // orchestrator stops waiting for room.
  void fail(const wire::RunError& run_error) {
    if (!error.raise(run_error)) return;
    progress.tell(aicpu());
    notify_schedulers();
  }
};

}  // namespace taskmill::aicpu
