// Contract 3: each consumer is released exactly once, by the completer's walk or by the push that finds the list sealed.
#include "graph/consumer_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

TEST(ConsumerList, node_numbers_tell_slot_edge_and_pool_apart) {
  for (const uint32_t slot : {0u, 1u, 12345u, (1u << 24) - 1}) {
    for (uint32_t edge = 0; edge < kInlineEdges; ++edge) {
      const uint32_t node = inline_node(slot, edge);
      EXPECT_NE(node, kNoNode);
      EXPECT_FALSE(is_pool_node(node));
      EXPECT_EQ(inline_slot(node), slot);
      EXPECT_EQ(inline_edge(node), edge);
    }
  }
  for (const uint32_t index : {0u, 7u, (1u << 28) - 1}) {
    for (uint32_t ring = 0; ring < 4; ++ring) {
      EXPECT_TRUE(is_pool_node(pool_node(ring, index)));
      EXPECT_NE(pool_node(ring, index), kSealed);
      EXPECT_EQ(pool_index(pool_node(ring, index)), index);
      EXPECT_EQ(pool_ring(pool_node(ring, index)), ring);
    }
  }
}

TEST(ConsumerList, gives_what_was_pushed_newest_first_and_refuses_after_the_seal) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    ConsumerList list;
    list.reset();
    std::vector<uint32_t> next(64), model;
    const uint32_t pushes = random.below(64);
    for (uint32_t i = 0; i < pushes; ++i) {
      const uint32_t node = inline_node(i, 0);
      ASSERT_TRUE(list.push(node, &next[i]));
      model.insert(model.begin(), node);
    }
    EXPECT_FALSE(list.sealed());
    std::vector<uint32_t> found;
    for (uint32_t node = list.seal(); node != kNoNode; node = next[inline_slot(node)]) found.push_back(node);
    EXPECT_EQ(found, model);
    EXPECT_TRUE(list.sealed());
    EXPECT_FALSE(list.push(inline_node(1, 0), &next[1]));
    list.reset();
    EXPECT_TRUE(list.push(inline_node(1, 0), &next[1]));
  }
}

TEST(ConsumerList, pusher_against_sealer_releases_each_consumer_exactly_once) {
  constexpr uint32_t kRounds = 3000, kConsumers = 24;
  const uint64_t seed = 20261129;
  std::printf("seed %lu\n", static_cast<unsigned long>(seed));
  ConsumerList list;
  std::vector<uint32_t> next(kConsumers);
  std::vector<uint32_t> released(kConsumers);  // written by both threads, never for the same consumer at the same time
  uint32_t payload = 0;                        // what the producer did: visible to whoever is told that it completed
  uint64_t faults = 0, pushed_late = 0, walked = 0;
  std::barrier start(2), end(2);

  std::thread sealer([&] {
    Random random(seed);
    for (uint32_t round = 0; round < kRounds; ++round) {
      start.arrive_and_wait();
      for (volatile uint32_t spin = random.below(300); spin > 0;) spin = spin - 1;
      payload = round + 1;
      for (uint32_t node = list.seal(); node != kNoNode; node = next[inline_slot(node)]) {
        ++released[inline_slot(node)];
        ++walked;
      }
      end.arrive_and_wait();
    }
  });
  Random random(seed + 1);
  for (uint32_t round = 0; round < kRounds; ++round) {
    list.reset();
    released.assign(kConsumers, 0);
    start.arrive_and_wait();
    for (uint32_t i = 0; i < kConsumers; ++i) {
      for (volatile uint32_t spin = random.below(20); spin > 0;) spin = spin - 1;
      if (list.push(inline_node(i, 0), &next[i])) continue;
      faults += payload != round + 1;
      ++released[i];
      ++pushed_late;
    }
    end.arrive_and_wait();
    for (const uint32_t count : released) faults += count != 1;
  }
  sealer.join();
  EXPECT_EQ(faults, 0u);
  EXPECT_EQ(walked + pushed_late, uint64_t{kRounds} * kConsumers);
}

}  // namespace
}  // namespace taskmill::test
