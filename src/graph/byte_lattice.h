// The exact set of bytes that a strided view touches, and two questions about two such sets. The answers are exact for views
// whose dimensions nest (boxes, steps, transposes of one array, in any mix); elsewhere `may_overlap` may err towards yes and
// `surely_covers` towards no.
//
// Two views are compared level by level. A level holds at most one dimension of each view; what lies in the levels below it
// spans less than the level's grid g, the greatest common divisor of its strides. So the distance D = q·g + r of two
// elements decides the level: indices i, j of the two must satisfy  i·stride_a − j·stride_b = q·g,  leaving r to the levels
// below, or (q+1)·g, leaving r − g.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "graph/footprint.h"
#include "taskmill/tensor.h"

namespace taskmill::graph {

// The bytes base + Σ i_d · stride_d + x with 0 ≤ i_d < count_d, 0 ≤ x < width.
struct ByteLattice {
  struct Dimension {
    int64_t stride;  // bytes, > 0
    int64_t count;   // > 1
  };
  int64_t base;
  int64_t width;
  uint32_t rank;
  Dimension dimensions[kMaxDims];  // by stride, smallest first

  static ByteLattice interval(uint64_t begin, uint64_t end) {
    return {static_cast<int64_t>(begin), static_cast<int64_t>(end - begin), 0, {}};
  }
  // REQUIRES: footprint_of(view) succeeds and ends below 2⁶³; the view is not empty.
  static ByteLattice of(const TensorDescriptor& view) {
    const int64_t bytes = element_bytes(view.dtype);
    ByteLattice lattice = {static_cast<int64_t>(view.buffer.addr) + static_cast<int64_t>(view.start_offset) * bytes, bytes, 0, {}};
    for (uint32_t d = view.ndims; d-- > 0;) {
      // A stride of 0, set by hand, adds no bytes.
      if (view.shapes[d] > 1 && view.strides[d] != 0) lattice.insert({view.strides[d] * bytes, view.shapes[d]});
    }
    return lattice;
  }

  // Distance of its first byte from its last, dimensions [first, last) counted.
  int64_t span(uint32_t first, uint32_t last) const {
    int64_t sum = 0;
    for (uint32_t d = first; d < last; ++d) sum += dimensions[d].stride * (dimensions[d].count - 1);
    return sum;
  }
  int64_t end() const { return base + span(0, rank) + width; }

  // Every step is a multiple of this; 0: there is none.
  int64_t grid() const {
    int64_t divisor = 0;
    for (uint32_t d = 0; d < rank; ++d) divisor = std::gcd(divisor, dimensions[d].stride);
    return divisor;
  }
  // Does each dimension step over all that lies below it?
  bool nests() const {
    int64_t below = width;
    for (uint32_t d = 0; d < rank; ++d) {
      if (dimensions[d].stride < below) return false;
      below += dimensions[d].stride * (dimensions[d].count - 1);
    }
    return true;
  }

  // REQUIRES: nests(). Is one of the bytes first … last in the set?
  bool meets(int64_t first, int64_t last) const {
    int64_t origin = base;
    for (uint32_t d = rank; d-- > 0;) {
      const int64_t below = span(0, d) + width;
      const Dimension& dimension = dimensions[d];
      const int64_t missing = first - (origin + below) + 1;  // for index 0 to reach `first`
      if (missing <= 0) continue;
      const int64_t index = (missing + dimension.stride - 1) / dimension.stride;
      if (index >= dimension.count) return false;
      origin += index * dimension.stride;
    }
    return origin <= last && origin + width > first;
  }

 private:
  void insert(const Dimension& added) {
    uint32_t place = rank++;
    for (; place > 0 && dimensions[place - 1].stride > added.stride; --place) dimensions[place] = dimensions[place - 1];
    dimensions[place] = added;
  }
};

// Two lattices cut into levels, innermost first.
class LatticePair {
 public:
  LatticePair(const ByteLattice& a, const ByteLattice& b) : a_(a), b_(b) { valid_ = make_levels(); }

  bool valid() const { return valid_; }
  // REQUIRES: valid().
  bool overlap() const { return overlap_below(depth_, b_.base - a_.base); }
  // REQUIRES: valid(). Are all bytes of b in a?
  bool covers() const {
    int64_t distance = b_.base - a_.base;
    for (uint32_t level = depth_; level-- > 0;) {
      const Level& at = levels_[level];
      const int64_t q = floor_divide(distance, at.grid);
      if (!holds_all(at, q * at.grid)) return false;
      distance -= q * at.grid;
    }
    return distance >= 0 && distance + b_.width <= a_.width;
  }

 private:
  struct Level {
    ByteLattice::Dimension a, b;  // count 1: the view has no dimension here
    int64_t grid;
    int64_t below_a, below_b;  // what the levels below span, without the last byte
  };

  static int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0); }

  bool make_levels() {
    uint32_t next_a = 0, next_b = 0;
    int64_t below_a = a_.width - 1, below_b = b_.width - 1;
    while (next_a < a_.rank || next_b < b_.rank) {
      Level level = {{1, 1}, {1, 1}, 0, below_a, below_b};
      const bool a_first = next_b == b_.rank || (next_a < a_.rank && a_.dimensions[next_a].stride <= b_.dimensions[next_b].stride);
      ByteLattice::Dimension& first = a_first ? level.a : level.b;
      ByteLattice::Dimension& other = a_first ? level.b : level.a;
      first = a_first ? a_.dimensions[next_a++] : b_.dimensions[next_b++];
      level.grid = first.stride;
      // The other view's dimension belongs to the same level if the first one alone would reach over it.
      const bool other_left = a_first ? next_b < b_.rank : next_a < a_.rank;
      if (other_left) {
        const ByteLattice::Dimension& candidate = a_first ? b_.dimensions[next_b] : a_.dimensions[next_a];
        if (candidate.stride <= (a_first ? below_a : below_b) + first.stride * (first.count - 1)) {
          other = candidate;
          ++(a_first ? next_b : next_a);
          level.grid = std::gcd(first.stride, other.stride);
        }
      }
      if (below_a >= level.grid || below_b >= level.grid) return false;
      below_a += level.a.stride * (level.a.count - 1);
      below_b += level.b.stride * (level.b.count - 1);
      levels_[depth_++] = level;
    }
    return true;
  }

  // `distance` from the a element chosen in the levels above to the b element.
  bool overlap_below(uint32_t level, int64_t distance) const {
    if (level == 0) return distance < a_.width && -distance < b_.width;
    const Level& at = levels_[level - 1];
    const int64_t q = floor_divide(distance, at.grid);
    const int64_t r = distance - q * at.grid;
    if (r <= at.below_a && indices_meet(at, q * at.grid) && overlap_below(level - 1, r)) return true;
    return at.grid - r <= at.below_b && indices_meet(at, (q + 1) * at.grid) && overlap_below(level - 1, r - at.grid);
  }

  // Are there indices with i·stride_a − j·stride_b = distance, a multiple of the grid?
  static bool indices_meet(const Level& at, int64_t distance) {
    if (at.b.count == 1) return is_index(at.a, distance);
    if (at.a.count == 1) return is_index(at.b, -distance);
    const int64_t a = at.a.stride / at.grid, b = at.b.stride / at.grid, c = distance / at.grid;
    // i lies in [low, high] so that j fits, and is one number modulo b.
    const int64_t low = std::max<int64_t>(0, -floor_divide(-c, a));
    const int64_t high = std::min(at.a.count - 1, floor_divide(c + b * (at.b.count - 1), a));
    if (low > high) return false;
    if (b == 1) return true;
    if (b > INT32_MAX) return true;  // the product below would not fit; only a mix of element sizes gets here
    const int64_t i = (c - floor_divide(c, b) * b) * inverse(a % b, b) % b;
    return low + (i - low - floor_divide(i - low, b) * b) <= high;
  }
  static bool is_index(const ByteLattice::Dimension& dimension, int64_t distance) {
    if (dimension.count == 1) return distance == 0;
    return distance >= 0 && distance % dimension.stride == 0 && distance / dimension.stride < dimension.count;
  }

  // Of `value` modulo `modulus`. REQUIRES: they have no common divisor.
  static int64_t inverse(int64_t value, int64_t modulus) {
    int64_t previous = 0, current = 1, rest = modulus;
    while (value != 0) {
      const int64_t quotient = rest / value;
      previous = std::exchange(current, previous - quotient * current);
      rest = std::exchange(value, rest - quotient * value);
    }
    return previous < 0 ? previous + modulus : previous;
  }

  // Is j·stride_b + distance = i·stride_a for every j, with an index i of a?
  static bool holds_all(const Level& at, int64_t distance) {
    if (!is_index(at.a, distance)) return false;
    if (at.b.count == 1) return true;
    return at.a.count > 1 && at.b.stride % at.a.stride == 0 && is_index(at.a, distance + at.b.stride * (at.b.count - 1));
  }

  const ByteLattice& a_;
  const ByteLattice& b_;
  bool valid_ = false;
  uint32_t depth_ = 0;
  Level levels_[2 * kMaxDims];
};

// No false negatives.
inline bool may_overlap(const ByteLattice& a, const ByteLattice& b) {
  if (a.base >= b.end() || b.base >= a.end()) return false;
  if (a.rank == 0 && b.nests()) return b.meets(a.base, a.end() - 1);
  if (b.rank == 0 && a.nests()) return a.meets(b.base, b.end() - 1);
  const LatticePair pair(a, b);
  if (pair.valid()) return pair.overlap();
  const int64_t grid = std::gcd(a.grid(), b.grid());
  const int64_t r = ((b.base - a.base) % grid + grid) % grid;
  return r < a.width || grid - r < b.width;
}

// No false positives.
inline bool surely_covers(const ByteLattice& cover, const ByteLattice& part) {
  if (part.base < cover.base || part.end() > cover.end()) return false;
  if (cover.rank == 0) return true;
  const LatticePair pair(cover, part);
  return pair.valid() && pair.covers();
}

}  // namespace taskmill::graph
