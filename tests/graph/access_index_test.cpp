// The index of one root against a model that keeps every access: what must be followed is followed, directly or through
// others, over thousands of random accesses, completions and retirements.
#include "graph/access_index.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

constexpr uint32_t kWindow = 64;
constexpr uint32_t kBytes = 96;
constexpr uint32_t kFirstLine = 8;

struct Seen {
  TaskRef task;
  Access access;
  uint32_t line = kNoLine;  // of its record, if it has one
  bool completed = false;
  std::set<TaskRef> before = {};  // live tasks that certainly complete first
};

class IndexAndModel {
 public:
  explicit IndexAndModel(uint64_t seed) : random_(seed), lines_(kFirstLine + kWindow), index_(region_, rings_, rules_) {
    region_.lines = lines_.data();
    region_.slots = slots_.data();
    RootRecord root = {};
    root.base = 4096;
    root.bytes = kBytes;
    *region_.line_as<RootRecord>(0) = root;
    tasks_.init(0, 0, kWindow);
  }

  void access() {
    if (tasks_.full()) {
      complete(0);
      retire();
    }
    Seen mine = {tasks_.allocate(), random_access()};
    TaskDescription description = {};
    description.task = mine.task;
    slots_[tasks_.slot(mine.task)].allocate(description);
    const bool alive = index_.conflicts(mine.access, [&](TaskRef task) { return follow(mine, task); });
    ASSERT_TRUE(alive);
    for (const Seen& earlier : seen_) {
      if (earlier.completed || !conflict(earlier.access, mine.access)) continue;
      ASSERT_TRUE(mine.before.count(earlier.task)) << "task " << mine.task << " must follow " << earlier.task;
    }
    const uint32_t line = kFirstLine + tasks_.slot(mine.task);
    if (index_.record(mine.access, mine.task, line)) mine.line = line;
    seen_.push_back(mine);
  }
  void complete_one() {
    if (!seen_.empty()) complete(random_.below(static_cast<uint32_t>(seen_.size())));
  }
  void retire() {
    while (!seen_.empty() && seen_.front().completed) {
      if (seen_.front().line != kNoLine) index_.forget(seen_.front().line);
      std::memset(static_cast<void*>(&lines_[kFirstLine + tasks_.slot(seen_.front().task)]), 0xEE, sizeof(Line));
      seen_.pop_front();
      tasks_.release();
    }
  }
  uint64_t direct() const { return direct_; }

 private:
  static bool conflict(const Access& a, const Access& b) {
    return ((a.use | b.use) & kWrites) != 0 && a.footprint.begin < b.footprint.end && b.footprint.begin < a.footprint.end;
  }

  Access random_access() {
    Access access = {};
    access.use = static_cast<uint8_t>(random_.between(1, 3));
    access.follows_writers = access.ordered = true;
    access.follows_readers = (access.use & kWrites) != 0;
    access.whole = random_.one_in(3);
    access.footprint = {0, kBytes, true};
    if (access.whole) return access;
    access.footprint.begin = random_.below(kBytes - 1);
    access.footprint.end = access.footprint.begin + random_.between(1, kBytes - 1 - static_cast<uint32_t>(access.footprint.begin));
    return access;
  }

  Link follow(Seen& mine, TaskRef task) {
    if (!tasks_.live(task)) return Link::kCompleted;
    const Seen& earlier = seen_[task - seen_.front().task];
    EXPECT_EQ(earlier.task, task);
    EXPECT_TRUE(conflict(earlier.access, mine.access)) << "no byte in common";
    if (earlier.completed) return Link::kCompleted;
    direct_ += mine.before.insert(task).second;
    mine.before.insert(earlier.before.begin(), earlier.before.end());
    return Link::kPending;
  }

  // A task completes after all that it follows.
  void complete(uint32_t place) {
    for (const TaskRef task : seen_[place].before) {
      if (task - seen_.front().task < seen_.size()) seen_[task - seen_.front().task].completed = true;
    }
    seen_[place].completed = true;
  }

  Random random_;
  std::vector<Line> lines_;
  std::vector<TaskSlot> slots_{kWindow};
  GraphRegion region_;
  TaskRings rings_;
  TaskRing& tasks_ = rings_.at(0);
  HazardRules rules_;
  AccessIndex index_;
  std::deque<Seen> seen_;  // tasks that were not retired
  uint64_t direct_ = 0;
};

TEST(AccessIndex, follows_what_a_model_of_all_accesses_says_must_be_followed) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    IndexAndModel both(seed);
    Random random(seed + 100);
    for (int step = 0; step < 4000 && !::testing::Test::HasFailure(); ++step) {
      both.access();
      if (random.one_in(2)) both.complete_one();
      if (random.one_in(8)) both.retire();
    }
    EXPECT_GT(both.direct(), 1000u);
  }
}

}  // namespace
}  // namespace taskmill::test
