#include "graph/byte_lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <string>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

constexpr uint32_t kMaxBytes = 8192;
using Bytes = std::bitset<kMaxBytes>;

Bytes bytes_of(const TensorDescriptor& view) {
  Bytes bytes;
  const uint64_t size = element_bytes(view.dtype);
  for (uint64_t i = 0; i < view.numel(); ++i) {
    uint64_t element = view.start_offset, rest = i;
    for (uint32_t d = view.ndims; d-- > 0; rest /= view.shapes[d]) element += rest % view.shapes[d] * view.strides[d];
    for (uint64_t b = 0; b < size; ++b) bytes.set(element * size + b);
  }
  return bytes;
}

struct Seen {
  uint32_t overlaps = 0, apart = 0, covers = 0, wrong_yes = 0, missed_covers = 0;
};

// No false negative, no false cover; the rest is counted.
void compare(const TensorDescriptor& a, const TensorDescriptor& b, Seen& seen) {
  const Bytes left = bytes_of(a), right = bytes_of(b);
  const bool overlap = (left & right).any(), covered = (right & ~left).none();
  const bool may = may_overlap(ByteLattice::of(a), ByteLattice::of(b));
  const bool surely = surely_covers(ByteLattice::of(a), ByteLattice::of(b));
  EXPECT_TRUE(may || !overlap);
  EXPECT_TRUE(covered || !surely);
  ++(overlap ? seen.overlaps : seen.apart);
  seen.covers += covered;
  seen.wrong_yes += may && !overlap;
  seen.missed_covers += covered && !surely;
}

// A box of one array, each dimension with a step, in any order of dimensions.
TensorDescriptor random_view(Random& random, const std::vector<uint32_t>& shape, DataType type, uint32_t most_step) {
  TensorDescriptor view = TensorDescriptor::row_major(0, type, shape.data(), static_cast<uint32_t>(shape.size()));
  for (uint32_t d = 0; d < view.ndims; ++d) {
    const uint32_t begin = random.below(shape[d]), step = random.between(1, most_step);
    view.start_offset += uint64_t{begin} * view.strides[d];
    view.shapes[d] = random.between(1, (shape[d] - begin - 1) / step + 1);
    view.strides[d] *= step;
  }
  for (uint32_t d = view.ndims; d-- > 1;) {
    const uint32_t other = random.below(d + 1);
    std::swap(view.shapes[d], view.shapes[other]);
    std::swap(view.strides[d], view.strides[other]);
  }
  return view;
}

Seen compare_views_of_arrays(uint32_t seeds, uint32_t most_step) {
  Seen seen;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<uint32_t> shape(random.between(1, 4));
    for (uint32_t& extent : shape) extent = random.between(1, 7);
    const DataType type = random.one_in(2) ? DataType::kUint8 : DataType::kInt16;
    const TensorDescriptor a = random_view(random, shape, type, most_step);
    compare(a, random_view(random, shape, type, most_step), seen);
    if (::testing::Test::HasFailure()) break;
  }
  return seen;
}

TEST(ByteLattice, boxes_of_one_array_overlap_and_cover_exactly_as_their_bytes_do) {
  const Seen seen = compare_views_of_arrays(20'000, 1);
  EXPECT_EQ(seen.wrong_yes, 0u);
  EXPECT_EQ(seen.missed_covers, 0u);
  EXPECT_GT(std::min({seen.overlaps, seen.apart, seen.covers}), 1000u);
}

TEST(ByteLattice, stepped_and_permuted_views_of_one_array_overlap_exactly_as_their_bytes_do) {
  const Seen seen = compare_views_of_arrays(20'000, 4);
  EXPECT_EQ(seen.wrong_yes, 0u);
  EXPECT_EQ(seen.missed_covers, 0u);
  EXPECT_GT(std::min({seen.overlaps, seen.apart, seen.covers}), 1000u);
}

TEST(ByteLattice, an_interval_against_any_view_of_an_array_is_exact) {
  Seen seen;
  for (uint64_t seed = 1; seed <= 10'000; ++seed) {
    Random random(seed);
    const std::vector<uint32_t> shape = {random.between(1, 7), random.between(1, 7), random.between(1, 7)};
    const TensorDescriptor view = random_view(random, shape, DataType::kUint8, 3);
    const uint32_t bytes = shape[0] * shape[1] * shape[2];
    const uint32_t begin = random.below(bytes), count = random.between(1, bytes - begin);
    const Bytes interval = (~Bytes() >> (kMaxBytes - count)) << begin;
    const bool overlap = (bytes_of(view) & interval).any();
    const ByteLattice lattice = ByteLattice::of(view), flat = ByteLattice::interval(begin, begin + count);
    EXPECT_EQ(may_overlap(lattice, flat), overlap) << "seed " << seed;
    EXPECT_EQ(may_overlap(flat, lattice), overlap) << "seed " << seed;
    EXPECT_EQ(surely_covers(flat, lattice), (bytes_of(view) & ~interval).none()) << "seed " << seed;
    ++(overlap ? seen.overlaps : seen.apart);
  }
  EXPECT_GT(std::min(seen.overlaps, seen.apart), 1000u);
}

// Strides that do not nest, and other types over the same bytes.
TEST(ByteLattice, any_two_views_are_never_called_apart_or_covered_wrongly) {
  static constexpr DataType kTypes[] = {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64};
  Seen seen;
  for (uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    TensorDescriptor views[2] = {};
    for (TensorDescriptor& view : views) {
      view.dtype = kTypes[random.below(4)];
      view.ndims = static_cast<uint8_t>(random.between(1, 4));
      view.start_offset = random.below(64);
      for (uint32_t d = 0; d < view.ndims; ++d) {
        view.shapes[d] = random.between(1, 4);
        view.strides[d] = random.between(1, random.one_in(2) ? 8 : 32);
      }
    }
    compare(views[0], views[1], seen);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(std::min({seen.overlaps, seen.apart}), 1000u);
  EXPECT_LT(seen.wrong_yes, seen.apart / 4) << "of " << seen.apart;
}

TEST(ByteLattice, extents_of_32_bits_do_not_overflow) {
  TensorDescriptor even = {};
  even.ndims = 2;
  even.dtype = DataType::kInt64;
  even.shapes[0] = 1u << 20;
  even.strides[0] = 1u << 31;
  even.shapes[1] = 1u << 30;
  even.strides[1] = 2;
  TensorDescriptor odd = even;
  odd.start_offset = 1;
  EXPECT_FALSE(may_overlap(ByteLattice::of(even), ByteLattice::of(odd)));
  odd.start_offset = 3 * uint64_t{1u << 31} + 4;
  EXPECT_TRUE(may_overlap(ByteLattice::of(even), ByteLattice::of(odd)));
  EXPECT_FALSE(surely_covers(ByteLattice::of(even), ByteLattice::of(odd)));
  odd.shapes[0] -= 4;
  odd.shapes[1] -= 2;
  EXPECT_TRUE(surely_covers(ByteLattice::of(even), ByteLattice::of(odd)));
}

}  // namespace
}  // namespace taskmill::test
