#include "device/aicpu/watchdog.h"

#include <gtest/gtest.h>

namespace taskmill::aicpu {
namespace {

constexpr uint64_t kLimit = 8'000;

// One cluster, all started; a kernel runs on core 0 if `running`.
CoreTable table_with(bool running) {
  CoreTable table;
  table.init(1, 1, 1);
  for (uint32_t core = 0; core < 3; ++core) table.observe(core, wire::make_token(1, wire::kHelloSequence));
  if (running) table.observe(0, table.place(CoreType::kAic, 4).token);
  return table;
}

TEST(Watchdog, is_off_when_both_limits_are_zero) {
  Watchdog watchdog;
  watchdog.init(0, 0);
  EXPECT_FALSE(watchdog.enabled());
  watchdog.init(0, 1);
  EXPECT_TRUE(watchdog.enabled());
}

TEST(Watchdog, a_kernel_is_overdue_between_its_limit_and_an_eighth_more) {
  Watchdog watchdog;
  watchdog.init(kLimit, 0);
  const CoreTable table = table_with(true);
  uint64_t now = 0;
  Watchdog::Tick tick = watchdog.tick(now, table, 0);
  while (tick.overdue.empty() && now < 10 * kLimit) {
    now = tick.next_due_ns;
    tick = watchdog.tick(now, table, 0);
  }
  EXPECT_TRUE(tick.overdue.test(0));
  EXPECT_GE(now, kLimit);
  EXPECT_LE(now, kLimit + kLimit / 8 + 8);
  EXPECT_EQ(watchdog.seen_running_ns(0, now), now);
}

TEST(Watchdog, a_core_that_takes_one_kernel_after_another_is_never_overdue) {
  Watchdog watchdog;
  watchdog.init(kLimit, 0);
  CoreTable table = table_with(true);
  Placement running = {0, wire::make_token(1, 1)};
  uint64_t now = 0;
  for (uint32_t i = 0; i < 100; ++i) {
    const Watchdog::Tick tick = watchdog.tick(now, table, 0);
    EXPECT_TRUE(tick.overdue.empty());
    now = tick.next_due_ns;
    table.observe(0, running.token | wire::kFinished);
    running = table.place(CoreType::kAic, 4);
    table.observe(0, running.token);
  }
}

TEST(Watchdog, stalls_after_its_limit_without_completion_and_without_a_kernel) {
  Watchdog watchdog;
  watchdog.init(0, kLimit);
  const CoreTable table = table_with(false);
  uint64_t now = 500;
  Watchdog::Tick tick = watchdog.tick(now, table, 3);
  while (tick.stalled_ns == 0 && now < 10 * kLimit) {
    now = tick.next_due_ns;
    tick = watchdog.tick(now, table, 3);
  }
  EXPECT_GE(tick.stalled_ns, kLimit);
  EXPECT_LE(tick.stalled_ns, kLimit + kLimit / 8 + 8);
  watchdog.restart_stall(now);
  EXPECT_EQ(watchdog.tick(now + kLimit - 1, table, 3).stalled_ns, 0u);
}

TEST(Watchdog, neither_a_completion_nor_a_running_kernel_is_a_stall) {
  Watchdog watchdog;
  watchdog.init(0, kLimit);
  uint64_t now = 0;
  for (uint64_t moves = 0; moves < 50; ++moves, now += kLimit) EXPECT_EQ(watchdog.tick(now, table_with(false), moves).stalled_ns, 0u);
  for (uint64_t i = 0; i < 50; ++i, now += kLimit) EXPECT_EQ(watchdog.tick(now, table_with(true), 0).stalled_ns, 0u);
}

}  // namespace
}  // namespace taskmill::aicpu
