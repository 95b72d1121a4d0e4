#include "graph/ready_list.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

std::vector<uint32_t> drain(ReadyList& list, TaskSlot* slots) {
  std::vector<uint32_t> all;
  for (uint32_t slot = list.pop(slots); slot != kNoSlot; slot = list.pop(slots)) all.push_back(slot);
  return all;
}

TEST(ReadyList, is_first_in_first_out_like_its_model) {
  Random random(5);
  std::vector<TaskSlot> slots(64);
  ReadyList list, other;
  std::deque<uint32_t> model, other_model, free;
  for (uint32_t i = 0; i < slots.size(); ++i) free.push_back(i);
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t dice = random.below(10);
    if (dice < 5 && !free.empty()) {
      const bool first = random.one_in(2);
      (first ? list : other).push(slots.data(), free.front());
      (first ? model : other_model).push_back(free.front());
      free.pop_front();
    } else if (dice == 5) {
      list.splice(slots.data(), other);
      model.insert(model.end(), other_model.begin(), other_model.end());
      other_model.clear();
      EXPECT_TRUE(other.empty());
    } else {
      EXPECT_EQ(list.empty(), model.empty());
      const uint32_t expected = model.empty() ? kNoSlot : model.front();
      EXPECT_EQ(list.peek(), expected);
      ASSERT_EQ(list.pop(slots.data()), expected);
      if (expected == kNoSlot) continue;
      model.pop_front();
      free.push_back(expected);
    }
  }
}

TEST(ReadyInbox, gives_single_pushes_and_batches_in_the_order_of_the_pushes) {
  std::vector<TaskSlot> slots(16);
  ReadyInbox inbox;
  ReadyList batch, taken;
  EXPECT_TRUE(inbox.empty());
  EXPECT_FALSE(inbox.take_all(slots.data(), taken));
  inbox.push(slots.data(), 3);
  for (const uint32_t slot : {7u, 8u, 9u}) batch.push(slots.data(), slot);
  inbox.push_all(slots.data(), batch);
  EXPECT_TRUE(batch.empty());
  inbox.push_all(slots.data(), batch);  // empty: nothing
  inbox.push(slots.data(), 1);
  EXPECT_FALSE(inbox.empty());
  taken.push(slots.data(), 15);
  EXPECT_TRUE(inbox.take_all(slots.data(), taken));
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(drain(taken, slots.data()), (std::vector<uint32_t>{15, 3, 7, 8, 9, 1}));
}

TEST(ReadyInbox, many_pushers_lose_and_double_nothing_and_each_keeps_its_order) {
  constexpr uint32_t kPushers = 4, kEach = 4000;
  std::vector<TaskSlot> slots(kPushers * kEach);
  ReadyInbox inbox;
  std::vector<std::thread> pushers;
  for (uint32_t p = 0; p < kPushers; ++p) {
    pushers.emplace_back([&, p] {
      Random random(p);
      ReadyList batch;
      for (uint32_t i = 0; i < kEach; ++i) {
        batch.push(slots.data(), p * kEach + i);
        if (random.one_in(3)) inbox.push_all(slots.data(), batch);
      }
      inbox.push_all(slots.data(), batch);
    });
  }
  std::vector<uint32_t> seen(kPushers, 0);
  uint32_t total = 0, out_of_order = 0;
  while (total < slots.size()) {
    ReadyList taken;
    if (!inbox.take_all(slots.data(), taken)) continue;
    for (const uint32_t slot : drain(taken, slots.data())) {
      out_of_order += slot % kEach != seen[slot / kEach]++;
      ++total;
    }
  }
  for (std::thread& pusher : pushers) pusher.join();
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_TRUE(inbox.empty());
}

}  // namespace
}  // namespace taskmill::test
