// The clock that a simulated chip's timers run by. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace taskmill::sim {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual uint64_t now_ns() const = 0;
  // Null if time passes by itself, in step with the monotonic clock. Otherwise calls `on_change` whenever time moved, until
  // the returned registration is destroyed.
  class Registration {
   public:
    virtual ~Registration() = default;
  };
  virtual std::unique_ptr<Registration> watch(std::function<void()> on_change) = 0;
};

// CLOCK_MONOTONIC.
Clock& monotonic_clock();

// Time moves only when told to; due timers are on their way when advance() returns.
class ManualClock final : public Clock {
 public:
  uint64_t now_ns() const override { return now_.load(std::memory_order_acquire); }
  std::unique_ptr<Registration> watch(std::function<void()> on_change) override;
  void advance(uint64_t ns);

 private:
  class Watcher;
  std::atomic<uint64_t> now_{1};
  std::mutex mutex_;
  std::map<uint64_t, std::function<void()>> watchers_;
  uint64_t last_id_ = 0;
};

}  // namespace taskmill::sim
