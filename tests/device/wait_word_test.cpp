#include "device/aicpu/wait_word.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace taskmill::aicpu {
namespace {

// A port with a real sleep in it.
struct Sleep {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> before_look;
  uint64_t slept = 0;
  std::atomic<uint64_t> wakes{0};

  wire::AicpuPort port() {
    wire::AicpuPort port = {};
    port.context = this;
    port.block = [](void* self, const uint32_t* word, uint32_t seen) { return static_cast<Sleep*>(self)->block(word, seen); };
    port.wake = [](void* self, const uint32_t*) { static_cast<Sleep*>(self)->wake(); };
    return port;
  }
  bool block(const uint32_t* word, uint32_t seen) {
    if (before_look) before_look();
    std::unique_lock lock(mutex);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == seen) {
      ++slept;
      changed.wait(lock);
    }
    return true;
  }
  void wake() {
    wakes.fetch_add(1);
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
};

// The teller's two steps at every pair of points of the sleeper's way.
TEST(WaitWord, a_sleeper_comes_back_wherever_the_teller_speaks) {
  enum Point { kBeforeAnnounce, kBeforeCondition, kAfterCondition, kInBlock, kPoints };
  for (int truth = kBeforeAnnounce; truth < kPoints; ++truth) {
    for (int tell = truth; tell < kPoints; ++tell) {
      Sleep sleep;
      const wire::AicpuPort port = sleep.port();
      WaitWord word;
      std::atomic<bool> condition = false;
      const auto pass = [&](int point) {
        if (point == truth) condition.store(true);
        if (point == tell) word.tell(port);
      };
      sleep.before_look = [&] { pass(kInBlock); };
      pass(kBeforeAnnounce);
      const bool go_on = word.sleep_unless(port, [&] {
        pass(kBeforeCondition);
        const bool holds = condition.load();
        pass(kAfterCondition);
        return holds;
      });
      EXPECT_TRUE(go_on);
      EXPECT_EQ(sleep.slept, 0u) << "truth at " << truth << ", told at " << tell;
    }
  }
}

TEST(WaitWord, telling_nobody_costs_no_wake) {
  Sleep sleep;
  WaitWord word;
  for (int i = 0; i < 10; ++i) word.tell(sleep.port());
  EXPECT_EQ(sleep.wakes, 0u);
}

TEST(WaitWord, an_abandoned_run_is_passed_on) {
  wire::AicpuPort port = {};
  port.block = [](void*, const uint32_t*, uint32_t) { return false; };
  WaitWord word;
  EXPECT_FALSE(word.sleep_unless(port, [] { return false; }));
}

// Two threads in lock step: each round is a chance to lose a wake-up, which would hang here.
TEST(WaitWord, two_threads_lose_no_wake_up) {
  constexpr uint64_t kRounds = 4'000;
  Sleep sleep;
  const wire::AicpuPort port = sleep.port();
  WaitWord word;
  std::atomic<uint64_t> told = 0, heard = 0;
  std::thread teller([&] {
    for (uint64_t round = 1; round <= kRounds; ++round) {
      told.store(round);
      word.tell(port);
      while (heard.load() != round) continue;
    }
  });
  for (uint64_t round = 1; round <= kRounds; ++round) {
    while (told.load() != round) ASSERT_TRUE(word.sleep_unless(port, [&] { return told.load() == round; }));
    heard.store(round);
  }
  teller.join();
  EXPECT_LE(sleep.wakes.load(), kRounds);
}

}  // namespace
}  // namespace taskmill::aicpu
