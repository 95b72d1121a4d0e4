#include "graph/footprint.h"

#include <gtest/gtest.h>

#include <set>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

TensorDescriptor view_of(std::initializer_list<uint32_t> shape, std::initializer_list<uint32_t> strides, uint64_t start, DataType type) {
  TensorDescriptor view = {};
  view.start_offset = start;
  view.ndims = static_cast<uint8_t>(shape.size());
  view.dtype = type;
  std::copy(shape.begin(), shape.end(), view.shapes);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

TEST(Footprint, is_exact_only_if_every_byte_of_the_interval_is_touched) {
  uint32_t exact = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    TensorDescriptor view = {};
    view.ndims = static_cast<uint8_t>(random.between(1, 3));
    view.dtype = random.one_in(2) ? DataType::kInt16 : DataType::kUint8;
    view.start_offset = random.below(10);
    for (uint32_t d = 0; d < view.ndims; ++d) {
      view.shapes[d] = random.between(1, 4);
      view.strides[d] = random.between(1, 8);
    }
    std::set<uint64_t> touched;
    const uint64_t size = element_bytes(view.dtype);
    for (uint64_t i = 0; i < view.numel(); ++i) {
      uint64_t element = view.start_offset, rest = i;
      for (uint32_t d = view.ndims; d-- > 0; rest /= view.shapes[d]) element += rest % view.shapes[d] * view.strides[d];
      for (uint64_t b = 0; b < size; ++b) touched.insert(element * size + b);
    }
    Footprint footprint = {};
    ASSERT_TRUE(footprint_of(view, &footprint));
    EXPECT_EQ(footprint.begin, *touched.begin());
    EXPECT_EQ(footprint.end, *touched.rbegin() + 1);
    exact += footprint.exact;
    EXPECT_TRUE(!footprint.exact || touched.size() == footprint.end - footprint.begin);
  }
  EXPECT_GT(exact, 50u);
}

TEST(Footprint, a_dimension_of_extent_1_does_not_make_a_view_inexact) {
  Footprint footprint = {};
  ASSERT_TRUE(footprint_of(view_of({1, 4, 1}, {99, 1, 7}, 3, DataType::kFloat32), &footprint));
  EXPECT_TRUE(footprint.exact);
  EXPECT_EQ(footprint.begin, 12u);
  EXPECT_EQ(footprint.end, 28u);
}

TEST(Footprint, of_a_zero_extent_is_empty_wherever_the_view_begins) {
  Footprint footprint = {};
  ASSERT_TRUE(footprint_of(view_of({3, 0}, {~0u, 1}, ~uint64_t{0}, DataType::kInt64), &footprint));
  EXPECT_TRUE(footprint.empty());
}

TEST(Footprint, beyond_64_bits_is_refused) {
  Footprint footprint = {};
  EXPECT_FALSE(footprint_of(view_of({1}, {1}, ~uint64_t{0}, DataType::kUint8), &footprint));
  EXPECT_FALSE(footprint_of(view_of({1}, {1}, uint64_t{1} << 62, DataType::kInt64), &footprint));
  EXPECT_FALSE(footprint_of(view_of({~0u, ~0u}, {~0u, ~0u}, 0, DataType::kUint8), &footprint));
}

TEST(Footprint, only_an_exact_one_covers) {
  EXPECT_TRUE(surely_covers({0, 8, true}, {2, 8, false}));
  EXPECT_FALSE(surely_covers({0, 8, false}, {2, 8, true}));
  EXPECT_FALSE(surely_covers({3, 8, true}, {2, 8, true}));
  EXPECT_FALSE(surely_covers({0, 7, true}, {2, 8, true}));
}

}  // namespace
}  // namespace taskmill::test
