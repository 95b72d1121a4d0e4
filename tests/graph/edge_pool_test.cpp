#include "graph/edge_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

TEST(EdgePool, never_gives_a_node_twice_and_says_when_all_are_out) {
  constexpr uint32_t kNodes = 16;
  Random random(9);
  std::vector<EdgeNode> nodes(kNodes);
  EdgeReturns returns;
  EdgePool pool;
  pool.init(nodes.data(), &returns, kNodes);
  std::set<uint32_t> out;
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t dice = random.below(8);
    if (dice < 5) {
      const uint32_t index = pool.take();
      ASSERT_EQ(index == EdgePool::kNone, out.size() == kNodes);
      if (index == EdgePool::kNone) continue;
      ASSERT_TRUE(out.insert(index).second);
    } else if (dice == 5 && !out.empty()) {
      pool.put_back(*out.begin());
      out.erase(out.begin());
    } else {
      EdgeChain chain;
      for (uint32_t n = random.below(kNodes); n > 0 && !out.empty(); --n) {
        chain.add(nodes.data(), *out.rbegin());
        out.erase(*out.rbegin());
      }
      returns.push(nodes.data(), chain);
    }
  }
  EXPECT_EQ(pool.peak(), kNodes);
  EXPECT_EQ(pool.capacity(), kNodes);
}

TEST(EdgePool, its_peak_is_what_was_out_at_once) {
  std::vector<EdgeNode> nodes(8);
  EdgeReturns returns;
  EdgePool pool;
  pool.init(nodes.data(), &returns, 8);
  for (int i = 0; i < 100; ++i) {
    const uint32_t first = pool.take(), second = pool.take();
    pool.put_back(second);
    pool.put_back(first);
  }
  EXPECT_EQ(pool.peak(), 2u);
}

// The orchestrator takes nodes and hands each to one of the completers, which give them back in chains.
class GiveAndTake {
 public:
  GiveAndTake() : nodes_(kNodes), holder_(kNodes) { pool_.init(nodes_.data(), &returns_, kNodes); }

  // How often a node was given that was still out.
  uint32_t run(uint32_t takes) {
    std::vector<std::thread> completers;
    for (uint32_t c = 1; c <= kCompleters; ++c) completers.emplace_back([this, c] { give_back(c); });
    uint32_t doubled = 0;
    for (uint32_t taken = 0; taken < takes; ++taken) {
      const uint32_t index = take();
      doubled += holder_[index].exchange(1 + taken % kCompleters, std::memory_order_acq_rel) != 0;
      if (taken % 16 == 15) announce(handed_);
    }
    stop_.store(true);
    announce(handed_);
    for (std::thread& completer : completers) completer.join();
    return doubled;
  }

 private:
  static constexpr uint32_t kNodes = 256, kCompleters = 3;

  static void announce(std::atomic<uint32_t>& counter) {
    counter.fetch_add(1);
    counter.notify_all();
  }

  uint32_t take() {
    for (;;) {
      const uint32_t seen = returned_.load();
      const uint32_t index = pool_.take();
      if (index != EdgePool::kNone) return index;
      announce(handed_);
      returned_.wait(seen);
    }
  }

  void give_back(uint32_t completer) {
    while (!stop_.load()) {
      const uint32_t seen = handed_.load();
      EdgeChain chain;
      for (uint32_t i = 0; i < kNodes; ++i) {
        if (holder_[i].load(std::memory_order_acquire) != completer) continue;
        holder_[i].store(0, std::memory_order_relaxed);
        chain.add(nodes_.data(), i);
      }
      if (chain.first == 0) {
        handed_.wait(seen);
        continue;
      }
      returns_.push(nodes_.data(), chain);
      announce(returned_);
    }
  }

  std::vector<EdgeNode> nodes_;
  std::vector<std::atomic<uint32_t>> holder_;  // 0: nobody, else the completer that is to give it back
  EdgeReturns returns_;
  EdgePool pool_;
  std::atomic<uint32_t> handed_ = 0, returned_ = 0;
  std::atomic<bool> stop_ = false;
};

TEST(EdgePool, completers_give_back_while_the_orchestrator_takes) {
  GiveAndTake threads;
  EXPECT_EQ(threads.run(20'000), 0u);
}

}  // namespace
}  // namespace taskmill::test
