#include "support/cpus.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <vector>

namespace taskmill {
namespace {

TEST(Cpus, there_is_at_least_one) { EXPECT_GE(available_cpus(), 1u); }

TEST(Cpus, each_piece_of_work_is_done_once) {
  std::vector<std::atomic<int>> done(1'000);
  parallel_for(done.size(), [&](size_t i) { done[i].fetch_add(1); });
  for (const std::atomic<int>& count : done) EXPECT_EQ(count.load(), 1);
}

TEST(Cpus, work_is_done_also_when_no_thread_can_be_started) {
  pthread_attr_t usual, impossible;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&impossible), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&impossible, size_t{1} << 50), 0);
  ASSERT_EQ(pthread_setattr_default_np(&impossible), 0);
  std::vector<std::atomic<int>> done(100);
  EXPECT_NO_THROW(parallel_for(done.size(), [&](size_t i) { done[i].fetch_add(1); }));
  EXPECT_EQ(pthread_setattr_default_np(&usual), 0);
  for (const std::atomic<int>& count : done) EXPECT_EQ(count.load(), 1);
}

TEST(Cpus, no_work_calls_nothing) {
  parallel_for(0, [](size_t) { FAIL(); });
}

}  // namespace
}  // namespace taskmill
