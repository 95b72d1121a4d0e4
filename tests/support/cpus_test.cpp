#include "support/cpus.h"

#include <gtest/gtest.h>

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

TEST(Cpus, no_work_calls_nothing) {
  parallel_for(0, [](size_t) { FAIL(); });
}

}  // namespace
}  // namespace taskmill
