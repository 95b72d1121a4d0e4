#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "graph/argument_ring.h"
#include "graph/heap_ring.h"
#include "graph/ring_cursor.h"
#include "graph/task_ring.h"
#include "support/random.h"

namespace taskmill::test {
namespace {

using namespace graph;

TEST(RingCursor, reservations_lie_inside_and_never_over_a_live_one) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const uint32_t capacity = random.between(4, 40);
    RingCursor ring;
    ring.init(capacity);
    std::deque<std::vector<uint32_t>> live;  // units of each reservation, then what it gives back
    std::vector<bool> taken(capacity);
    uint32_t wraps = 0, refused = 0;
    uint64_t last = 0, peak = 0;
    for (int step = 0; step < 5000; ++step) {
      const uint32_t units = random.between(0, capacity);
      if (random.one_in(2) && ring.fits(units)) {
        const RingCursor::Reservation reservation = ring.reserve(units);
        ASSERT_LE(reservation.offset + units, capacity);
        std::vector<uint32_t> mine;
        for (uint32_t i = 0; i < units; ++i) {
          ASSERT_FALSE(taken[reservation.offset + i]);
          taken[reservation.offset + i] = true;
          mine.push_back(static_cast<uint32_t>(reservation.offset) + i);
        }
        const uint32_t trimmed = units != 0 ? random.below(units) : 0;
        ring.trim(trimmed);
        for (uint32_t i = 0; i < trimmed; ++i) {
          taken[mine.back()] = false;
          mine.pop_back();
        }
        mine.push_back(static_cast<uint32_t>(reservation.taken) - trimmed);
        live.push_back(mine);
        wraps += units != 0 && reservation.offset < last;
        if (units != 0) last = reservation.offset;
        peak = std::max(peak, ring.used());
      } else if (!live.empty()) {
        refused += !ring.fits(units);
        for (size_t i = 0; i + 1 < live.front().size(); ++i) taken[live.front()[i]] = false;
        ring.note_peak();
        ring.release(live.front().back());
        live.pop_front();
      }
      EXPECT_EQ(ring.peak(), peak);
      if (live.empty()) {
        EXPECT_EQ(ring.used(), 0u);
        EXPECT_TRUE(ring.fits(capacity)) << "an empty ring takes whatever is not larger than itself";
      }
    }
    EXPECT_GT(wraps, 0u);
    EXPECT_GT(refused, 0u);
  }
}

TEST(RingCursor, a_skipped_end_is_counted_as_waste_only_while_it_is_alive) {
  RingCursor ring;
  ring.init(10);
  const auto first = ring.reserve(4);
  const auto second = ring.reserve(4);
  ring.release(first.taken);
  const auto third = ring.reserve(3);  // 2 units do not do: skipped
  EXPECT_EQ(third.offset, 0u);
  EXPECT_EQ(third.taken, 5u);
  EXPECT_EQ(ring.wasted(), 2u);
  ring.release(second.taken);
  EXPECT_EQ(ring.wasted(), 2u);
  ring.release(third.taken);
  EXPECT_EQ(ring.wasted(), 0u);
  EXPECT_EQ(ring.used(), 0u);
}

TEST(TaskRing, one_slot_stays_free_and_ids_tell_the_live_from_the_retired) {
  TaskRing ring;
  ring.init(2, 8, 4);
  EXPECT_EQ(ring.usable(), 3u);
  for (uint32_t i = 0; i < 1000; ++i) {
    const TaskRef task = make_task_ref(2, i);
    if (ring.full()) {
      EXPECT_EQ(ring.used(), 3u);
      EXPECT_TRUE(ring.live(ring.oldest()));
      const TaskRef retired = ring.oldest();
      ring.note_peak();
      ring.release();
      EXPECT_FALSE(ring.live(retired));
    }
    EXPECT_FALSE(ring.live(task));
    ASSERT_EQ(ring.allocate(), task);
    EXPECT_TRUE(ring.live(task));
    EXPECT_EQ(ring.slot(task), 8 + i % 4);
    EXPECT_EQ(ring.slot_at(i), 8 + i % 4);
  }
  EXPECT_EQ(ring.peak(), 3u);
  EXPECT_EQ(ring.head(), 1000u);
}

TEST(HeapRing, counts_in_units_of_its_alignment) {
  EXPECT_EQ(heap_units(0), 0u);
  EXPECT_EQ(heap_units(1), 1u);
  EXPECT_EQ(heap_units(1024), 1u);
  EXPECT_EQ(heap_units(1025), 2u);
  EXPECT_EQ(heap_units(~uint64_t{0}), uint64_t{1} << 54);
  HeapRing heap;
  heap.init(0x10000, 4096);
  EXPECT_EQ(heap.reserve(1).address, 0x10000u);
  EXPECT_EQ(heap.reserve(3).address, 0x10400u);
  EXPECT_FALSE(heap.cursor().fits(1));
}

TEST(ArgumentRing, lines_start_behind_those_of_the_entry_tensors) {
  ArgumentRing ring;
  ring.init(6, 8);
  EXPECT_EQ(ring.reserve(3).first, 6u);
  EXPECT_EQ(ring.reserve(5).first, 9u);
  ring.release(3);
  EXPECT_EQ(ring.reserve(2).first, 6u);
}

}  // namespace
}  // namespace taskmill::test
