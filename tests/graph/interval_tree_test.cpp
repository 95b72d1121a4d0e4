#include "graph/interval_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

struct Interval {
  uint64_t begin, end;
  bool writes;
};

class TreeAndModel {
 public:
  explicit TreeAndModel(uint32_t lines) : lines_(lines), tree_(lines_.data(), &root_) {}

  AccessRecord& at(uint32_t line) { return *reinterpret_cast<AccessRecord*>(&lines_[line]); }

  void insert(uint32_t line, const Interval& interval) {
    AccessRecord& record = at(line);
    record.begin = interval.begin;
    record.end = interval.end;
    record.use = interval.writes ? kWrites : kReads;
    tree_.insert(line);
    model_[line] = interval;
  }
  void remove(uint32_t line) {
    tree_.remove(line);
    model_.erase(line);
  }
  bool has(uint32_t line) const { return model_.count(line) != 0; }

  void expect_same(const IntervalTree::Query& query) {
    std::vector<uint32_t> found;
    uint64_t begin = 0;
    for (uint32_t line = tree_.first(query); line != kNoLine; line = tree_.next(line, query)) {
      EXPECT_GE(at(line).begin, begin) << "in the order of begin";
      begin = at(line).begin;
      found.push_back(line);
    }
    std::sort(found.begin(), found.end());
    std::vector<uint32_t> expected;
    for (const auto& [line, interval] : model_) {
      if (interval.begin < query.end && query.begin < interval.end && (interval.writes || !query.writes_only)) expected.push_back(line);
    }
    ASSERT_EQ(found, expected);
  }

  uint32_t depth(uint32_t line) { return line == kNoLine ? 0 : 1 + std::max(depth(at(line).left), depth(at(line).right)); }
  uint32_t depth() { return depth(root_); }
  IntervalTree& tree() { return tree_; }

 private:
  std::vector<Line> lines_;
  uint32_t root_ = kNoLine;
  IntervalTree tree_;
  std::map<uint32_t, Interval> model_;
};

TEST(IntervalTree, finds_what_a_naive_search_finds_over_thousands_of_random_operations) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const uint32_t space = random.between(8, 2000);
    TreeAndModel both(200);
    for (int step = 0; step < 3000; ++step) {
      const uint32_t line = random.between(1, 199);
      const uint32_t begin = random.below(space);
      const uint32_t end = begin + random.between(1, random.one_in(4) ? space : 8);
      if (both.has(line)) {
        both.remove(line);
      } else {
        both.insert(line, {begin, end, random.one_in(3)});
      }
      both.expect_same({begin, end, random.one_in(2)});
    }
  }
}

TEST(IntervalTree, removing_what_was_given_leaves_the_rest_of_a_walk_as_it_was) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    TreeAndModel both(65);
    for (uint32_t line = 1; line <= 64; ++line) {
      const uint32_t begin = random.below(100);
      both.insert(line, {begin, begin + random.between(1, 20), true});
    }
    const IntervalTree::Query query = {30, 60, false};
    for (uint32_t line = both.tree().first(query); line != kNoLine;) {
      const uint32_t next = both.tree().next(line, query);
      if (random.one_in(2)) both.remove(line);
      line = next;
    }
    both.expect_same(query);
    both.expect_same({0, 200, false});
  }
}

TEST(IntervalTree, stays_shallow_whatever_the_order_and_the_pattern_of_lines) {
  for (const uint32_t stride : {1u, 3u, 21u, 64u}) {
    TreeAndModel both(stride * 4096 + 1);
    for (uint32_t i = 0; i < 4096; ++i) both.insert(1 + i * stride, {i, i + 1, true});
    EXPECT_LT(both.depth(), 48u) << "stride " << stride;
  }
}

TEST(IntervalTree, many_records_of_the_same_bytes_are_all_found) {
  TreeAndModel both(600);
  for (uint32_t line = 1; line < 600; ++line) both.insert(line, {10, 20, line % 2 == 0});
  EXPECT_LT(both.depth(), 40u);
  both.expect_same({19, 20, true});
  both.expect_same({20, 30, false});
  for (uint32_t line = 1; line < 600; line += 2) both.remove(line);
  both.expect_same({0, 100, false});
}

}  // namespace
}  // namespace taskmill::test
