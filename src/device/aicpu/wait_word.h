// Where the orchestrator sleeps until a scheduler tells it something. It is woken only if it said that it sleeps, so that a
// completion costs nothing while nobody waits.
//
// No wake-up is lost. The sleeper announces itself (A: word = waiting), then looks at the condition (B), then sleeps while
// the word still says waiting. The teller makes the condition true (C), then looks at the word (D). A, B, C and D are
// seq_cst, so there is one order of the four: if B does not see C, then B comes before C, hence A before D, and D sees the
// announcement. The teller then takes the announcement back *before* it calls wake, so a sleeper that has not gone to sleep
// yet finds the word changed and returns. An announcement that a late teller takes back wakes the sleeper early, which it
// expects: it looks at the condition again.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/align.h"
#include "wire/ports.h"

namespace taskmill::aicpu {

class alignas(kCacheLineBytes) WaitWord {
 public:
  // Sleeper. Sleeps unless condition() holds; returns when it may hold. False: the run was abandoned.
  template <class Condition>
  bool sleep_unless(const wire::AicpuPort& port, Condition&& condition) {
    std::atomic_ref(word_).store(kWaiting, std::memory_order_seq_cst);
    const bool go_on = condition() || port.block(port.context, &word_, kWaiting);
    // Relaxed: a teller that still sees the announcement only wakes nobody.
    std::atomic_ref(word_).store(kAwake, std::memory_order_relaxed);
    return go_on;
  }

  // Teller, after it made the condition true with a seq_cst store.
  void tell(const wire::AicpuPort& port) {
    if (std::atomic_ref(word_).load(std::memory_order_seq_cst) != kWaiting) return;
    // Relaxed: the sleeper's look at the condition after it wakes is ordered by the condition's own store and load.
    std::atomic_ref(word_).store(kAwake, std::memory_order_relaxed);
    port.wake(port.context, &word_);
  }

 private:
  enum : uint32_t { kAwake, kWaiting };
  uint32_t word_ = kAwake;
};

}  // namespace taskmill::aicpu
