#include "base/checked.h"

#include <gtest/gtest.h>

#include "base/align.h"
#include "support/random.h"

namespace taskmill::test {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

TEST(Checked, sums_and_products_that_fit_are_exact) {
  uint64_t out = 0;
  EXPECT_TRUE(checked_add(kMax - 1, 1, &out));
  EXPECT_EQ(out, kMax);
  EXPECT_TRUE(checked_mul(uint64_t{1} << 32, (uint64_t{1} << 32) - 1, &out));
  EXPECT_EQ(out, kMax - 0xFFFF'FFFF);
  EXPECT_TRUE(checked_mul(kMax, 0, &out));
  EXPECT_EQ(out, 0u);
}

TEST(Checked, overflow_gives_false_and_leaves_the_result_alone) {
  uint64_t out = 77;
  EXPECT_FALSE(checked_add(kMax, 1, &out));
  EXPECT_FALSE(checked_mul(uint64_t{1} << 32, uint64_t{1} << 32, &out));
  EXPECT_FALSE(checked_align_up(kMax - 10, 64, &out));
  EXPECT_EQ(out, 77u);
}

TEST(Checked, rounds_up_to_multiples_of_a_power_of_two) {
  uint64_t out = 0;
  EXPECT_TRUE(checked_align_up(0, 64, &out));
  EXPECT_EQ(out, 0u);
  EXPECT_TRUE(checked_align_up(65, 64, &out));
  EXPECT_EQ(out, 128u);
  EXPECT_TRUE(checked_align_up(kMax - 63, 64, &out));
  EXPECT_EQ(out, kMax - 63);
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = random.next() >> 8, alignment = uint64_t{1} << random.below(20);
    ASSERT_TRUE(checked_align_up(value, alignment, &out));
    EXPECT_EQ(out % alignment, 0u);
    EXPECT_LT(out - value, alignment);
    EXPECT_EQ(out, align_up(value, alignment));
  }
}

TEST(Checked, a_range_fits_only_if_no_byte_of_it_lies_outside) {
  EXPECT_TRUE(range_fits(0, 10, 10));
  EXPECT_TRUE(range_fits(10, 0, 10));
  EXPECT_FALSE(range_fits(11, 0, 10));
  EXPECT_FALSE(range_fits(5, 6, 10));
  EXPECT_FALSE(range_fits(5, kMax, 10));
  EXPECT_FALSE(range_fits(kMax, 2, kMax));
}

TEST(Align, knows_powers_of_two) {
  EXPECT_FALSE(is_power_of_two(0));
  for (uint32_t bit = 0; bit < 64; ++bit) {
    EXPECT_TRUE(is_power_of_two(uint64_t{1} << bit));
    if (bit > 1) {
      EXPECT_FALSE(is_power_of_two((uint64_t{1} << bit) - 1));
    }
  }
}

}  // namespace
}  // namespace taskmill::test
