#include "driver/sim/clock.h"

#include <time.h>

namespace taskmill::sim {
namespace {

class MonotonicClock final : public Clock {
 public:
  uint64_t now_ns() const override {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
  }
  std::unique_ptr<Registration> watch(std::function<void()>) override { return nullptr; }
};

}  // namespace

Clock& monotonic_clock() {
  static MonotonicClock clock;
  return clock;
}

class ManualClock::Watcher final : public Registration {
 public:
  Watcher(ManualClock* clock, uint64_t id) : clock_(clock), id_(id) {}
  ~Watcher() override {
    const std::lock_guard lock(clock_->mutex_);
    clock_->watchers_.erase(id_);
  }

 private:
  ManualClock* clock_;
  uint64_t id_;
};

std::unique_ptr<Clock::Registration> ManualClock::watch(std::function<void()> on_change) {
  const std::lock_guard lock(mutex_);
  watchers_.emplace(++last_id_, std::move(on_change));
  return std::make_unique<Watcher>(this, last_id_);
}

void ManualClock::advance(uint64_t ns) {
  const std::lock_guard lock(mutex_);
  now_.fetch_add(ns, std::memory_order_acq_rel);
  for (const auto& [id, on_change] : watchers_) on_change();
}

}  // namespace taskmill::sim
