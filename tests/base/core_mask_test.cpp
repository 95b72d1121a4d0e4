#include "base/core_mask.h"

#include <gtest/gtest.h>

#include <set>

#include "support/random.h"

namespace taskmill::test {
namespace {

TEST(CoreMask, is_a_set_of_cores_like_its_model) {
  Random random(2);
  CoreMask mask;
  std::set<uint32_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t core = random.below(CoreMask::kCapacity);
    if (random.one_in(2)) {
      mask.set(core);
      model.insert(core);
    } else {
      mask.clear(core);
      model.erase(core);
    }
    ASSERT_EQ(mask.test(core), model.count(core) != 0);
    ASSERT_EQ(mask.count(), model.size());
    ASSERT_EQ(mask.empty(), model.empty());
    if (!model.empty()) {
      ASSERT_EQ(mask.first(), *model.begin());
    }
  }
  while (!model.empty()) {
    ASSERT_EQ(mask.take_first(), *model.begin());
    model.erase(model.begin());
  }
  EXPECT_TRUE(mask.empty());
}

TEST(CoreMask, ranges_reach_over_the_word_boundary) {
  const CoreMask mask = CoreMask::range(60, 48);
  EXPECT_EQ(mask.count(), 48u);
  EXPECT_EQ(mask.first(), 60u);
  EXPECT_TRUE(mask.test(107));
  EXPECT_FALSE(mask.test(59));
  EXPECT_FALSE(mask.test(108));
  EXPECT_TRUE(CoreMask::range(3, 0).empty());
}

TEST(CoreMask, union_intersection_and_complement_are_those_of_sets) {
  const CoreMask low = CoreMask::range(0, 70), high = CoreMask::range(50, 78);
  EXPECT_EQ(low | high, CoreMask::range(0, 128));
  EXPECT_EQ(low & high, CoreMask::range(50, 20));
  EXPECT_EQ(~low, CoreMask::range(70, 58));
}

TEST(CoreMask, its_words_can_be_carried_one_by_one) {
  const CoreMask mask = CoreMask::range(62, 5);
  CoreMask copy;
  for (uint32_t word = 0; word < 2; ++word) copy.set_word(word, mask.word(word));
  EXPECT_EQ(copy, mask);
}

}  // namespace
}  // namespace taskmill::test
