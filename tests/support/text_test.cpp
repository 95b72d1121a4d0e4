#include "support/text.h"

#include <gtest/gtest.h>

namespace taskmill::text {
namespace {

TEST(Text, thousands_are_grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(786'432), "786,432");
  EXPECT_EQ(grouped(~uint64_t{0}), "18,446,744,073,709,551,615");
}

TEST(Text, a_noun_follows_its_number) {
  EXPECT_EQ(counted(1, "tensor"), "1 tensor");
  EXPECT_EQ(counted(0, "tensor"), "0 tensors");
  EXPECT_EQ(counted(1'024, "byte"), "1,024 bytes");
}

TEST(Text, a_duration_has_the_unit_that_keeps_it_short) {
  EXPECT_EQ(duration(17), "17 ns");
  EXPECT_EQ(duration(2'500'000), "2.5 ms");
  EXPECT_EQ(duration(45'000'000'000), "45 s");
}

}  // namespace
}  // namespace taskmill::text
