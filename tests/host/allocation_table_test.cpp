#include "host/allocation_table.h"

#include <gtest/gtest.h>

namespace taskmill {
namespace {

class AllocationTableTest : public testing::Test {
 protected:
  AllocationTableTest() {
    table_.add(1000, 100);
    table_.add(2000, 50);
  }
  AllocationTable table_;
};

TEST_F(AllocationTableTest, a_range_inside_one_allocation_is_accepted_to_its_last_byte) {
  EXPECT_TRUE(table_.require("x", 1000, 100));
  EXPECT_TRUE(table_.require("x", 1099, 1));
  EXPECT_TRUE(table_.require("x", 2000, 50));
  EXPECT_TRUE(table_.require("x", 1100, 0));
}

TEST_F(AllocationTableTest, what_lies_before_between_behind_or_across_is_refused) {
  for (const auto& [address, bytes] : {std::pair<uint64_t, uint64_t>{999, 1}, {1100, 1}, {1050, 51}, {1999, 2}, {2050, 1}, {3000, 0}}) {
    EXPECT_EQ(table_.require("x", address, bytes).error().code, ErrorCode::kNotADeviceAddress) << address;
  }
}

TEST_F(AllocationTableTest, B5_a_length_that_overflows_is_refused) { EXPECT_FALSE(table_.require("x", 1050, ~uint64_t{0})); }

TEST_F(AllocationTableTest, what_was_removed_is_gone) {
  table_.remove(1000);
  EXPECT_FALSE(table_.is_base(1000));
  EXPECT_FALSE(table_.require("x", 1000, 1));
}

}  // namespace
}  // namespace taskmill
