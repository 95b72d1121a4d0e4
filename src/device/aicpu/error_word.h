// The run's first error. Whoever raises it first wins; a later error of the same run is dropped.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/align.h"
#include "wire/run_error.h"

namespace taskmill::aicpu {

class alignas(kCacheLineBytes) ErrorWord {
 public:
  // True for the caller whose error it is now; that caller wakes whoever must hear of it.
  bool raise(const wire::RunError& error) {
    uint32_t expected = kNone;
    // Relaxed: the word guards nothing until the store below.
    if (!state_.compare_exchange_strong(expected, kClaimed, std::memory_order_relaxed)) return false;
    error_ = error;
    // seq_cst: one side of the wake-up argument in wait_word.h.
    state_.store(kRaised, std::memory_order_seq_cst);
    return true;
  }

  bool claimed() const { return state_.load(std::memory_order_seq_cst) != kNone; }
  // The error, whole, or nullptr. An error that is still being written counts as not raised yet: its writer notifies after it.
  const wire::RunError* raised() const { return state_.load(std::memory_order_acquire) == kRaised ? &error_ : nullptr; }

 private:
  enum : uint32_t { kNone, kClaimed, kRaised };
  std::atomic<uint32_t> state_{kNone};
  wire::RunError error_{};
};

}  // namespace taskmill::aicpu
