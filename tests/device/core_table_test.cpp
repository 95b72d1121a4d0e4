#include "device/aicpu/core_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace taskmill::aicpu {
namespace {

constexpr uint32_t kGeneration = 7;

uint32_t hello(uint32_t generation = kGeneration) { return wire::make_token(generation, wire::kHelloSequence); }
uint32_t fin(uint32_t token) { return token | wire::kFinished; }
uint32_t trap() { return wire::make_token(kGeneration, wire::kExitSequence); }

// One cluster: core 0 is its AIC, cores 1 and 2 its AIVs.
CoreTable started_table(uint32_t first_sequence = 1) {
  CoreTable table;
  table.init(kGeneration, 1, first_sequence);
  for (uint32_t core = 0; core < 3; ++core) table.observe(core, hello());
  return table;
}

TEST(CoreTable, nothing_is_placed_before_HELLO_of_this_generation) {
  CoreTable table;
  table.init(kGeneration, 1, 1);
  table.observe(0, hello(kGeneration - 1));
  table.observe(0, fin(wire::make_token(kGeneration - 1, 1)));
  EXPECT_EQ(table.place(CoreType::kAic, 5).core, kNoCore);
  table.observe(0, hello());
  const Placement placed = table.place(CoreType::kAic, 5);
  EXPECT_EQ(placed.core, 0u);
  EXPECT_EQ(placed.token, wire::make_token(kGeneration, 1));
}

TEST(CoreTable, a_follower_is_placed_only_when_every_core_of_the_shape_has_started_and_is_busy) {
  CoreTable table;
  table.init(kGeneration, 1, 1);
  table.observe(1, hello());
  const Placement first = table.place(CoreType::kAiv, 0);
  ASSERT_EQ(first.core, 1u);
  table.observe(1, first.token);
  EXPECT_FALSE(table.has_room(CoreType::kAiv)) << "core 2 has not started";
  table.observe(2, hello());
  const Placement second = table.place(CoreType::kAiv, 1);
  ASSERT_EQ(second.core, 2u);
  const Placement follower = table.place(CoreType::kAiv, 2);
  EXPECT_EQ(follower.core, 1u);
  EXPECT_EQ(wire::token_sequence(follower.token), 2u);
  EXPECT_FALSE(table.has_room(CoreType::kAiv)) << "core 1 holds two, core 2 has not acknowledged";
}

TEST(CoreTable, an_answer_to_the_follower_implies_FIN_of_the_first) {
  CoreTable table = started_table();
  const Placement first = table.place(CoreType::kAic, 10);
  table.observe(0, first.token);
  const Placement second = table.place(CoreType::kAic, 11);
  const Observation seen = table.observe(0, second.token);
  ASSERT_EQ(seen.finished_count, 1u);
  EXPECT_EQ(seen.finished[0].slot, 10u);
  EXPECT_EQ(table.running(0).slot, 11u);
}

TEST(CoreTable, one_look_can_find_both_dispatches_finished) {
  CoreTable table = started_table();
  table.observe(0, table.place(CoreType::kAic, 10).token);
  const Observation seen = table.observe(0, fin(table.place(CoreType::kAic, 11).token));
  ASSERT_EQ(seen.finished_count, 2u);
  EXPECT_EQ(seen.finished[0].slot, 10u);
  EXPECT_EQ(seen.finished[1].slot, 11u);
  EXPECT_TRUE(table.busy().empty());
}

TEST(CoreTable, a_core_that_has_not_acknowledged_its_follower_gets_no_third_task) {
  CoreTable table = started_table();
  const Placement first = table.place(CoreType::kAic, 10);
  table.observe(0, first.token);
  table.place(CoreType::kAic, 11);
  table.observe(0, fin(first.token));
  EXPECT_FALSE(table.has_room(CoreType::kAic));
  EXPECT_FALSE(table.takes_word(0));
  EXPECT_FALSE(table.running(0).present());
}

TEST(CoreTable, the_same_value_of_COND_is_news_once) {
  CoreTable table = started_table();
  const Placement first = table.place(CoreType::kAic, 10);
  EXPECT_TRUE(table.observe(0, fin(first.token)).changed);
  const Observation again = table.observe(0, fin(first.token));
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.finished_count, 0u);
}

TEST(CoreTable, sequences_wrap_to_one_and_payload_slots_go_on_alternating) {
  CoreTable table = started_table(wire::kMaxSequence - 1);
  std::vector<uint32_t> sequences;
  for (uint32_t task = 0; task < 4; ++task) {
    const Placement placed = table.place(CoreType::kAic, task);
    sequences.push_back(wire::token_sequence(placed.token));
    EXPECT_EQ(table.observe(0, fin(placed.token)).finished_count, 1u);
  }
  EXPECT_EQ(sequences, (std::vector<uint32_t>{wire::kMaxSequence - 1, wire::kMaxSequence, 1, 2}));
  for (size_t i = 1; i < sequences.size(); ++i) EXPECT_NE(wire::payload_slot(sequences[i]), wire::payload_slot(sequences[i - 1]));
}

TEST(CoreTable, TRAP_of_the_follower_gives_back_the_first_as_finished) {
  CoreTable table = started_table();
  table.observe(0, table.place(CoreType::kAic, 10).token);
  table.place(CoreType::kAic, 11);
  ASSERT_TRUE(table.observe(0, trap()).trapped);
  EXPECT_EQ(table.trap(0, true).slot, 10u);
  EXPECT_EQ(table.running(0).slot, 11u);
  EXPECT_TRUE(table.stuck().test(0));
  EXPECT_FALSE(table.expecting().test(0));
  EXPECT_FALSE(table.waiting(0).present());
  EXPECT_FALSE(table.takes_word(0)) << "a dead core takes no EXIT";
}

TEST(CoreTable, TRAP_of_the_first_leaves_its_follower_unacknowledged) {
  CoreTable table = started_table();
  table.observe(0, table.place(CoreType::kAic, 10).token);
  table.place(CoreType::kAic, 11);
  ASSERT_TRUE(table.observe(0, trap()).trapped);
  EXPECT_FALSE(table.trap(0, false).present());
  EXPECT_EQ(table.running(0).slot, 10u);
  EXPECT_EQ(table.waiting(0).slot, 11u);
}

// A core by the letter of contract 4: it takes the newest word when it has finished the last one.
struct ModelCore {
  uint32_t word = 0;
  uint32_t cond = hello();
  bool can_step() const { return !wire::is_finished(cond) ? cond != hello() || word != 0 : word != (cond & ~wire::kFinished); }
  void step() { cond = !wire::is_finished(cond) && cond != hello() ? fin(cond) : word; }
};

struct Walk {
  uint64_t schedules = 0;
  uint64_t both_at_once = 0;
};

// Core steps, looks at COND and placements in every order.
void walk(CoreTable table, ModelCore core, uint32_t placed, uint32_t finished, uint32_t depth, Walk* total) {
  if (depth == 0) {
    ++total->schedules;
    return;
  }
  if (core.can_step()) {
    ModelCore next = core;
    next.step();
    walk(table, next, placed, finished, depth - 1, total);
  }
  if (table.has_room(CoreType::kAic)) {
    CoreTable next = table;
    ModelCore given = core;
    ASSERT_TRUE(core.word == 0 || (core.cond & ~wire::kFinished) == core.word) << "a word over an unacknowledged one";
    given.word = next.place(CoreType::kAic, placed).token;
    walk(next, given, placed + 1, finished, depth - 1, total);
  }
  CoreTable looked = table;
  const Observation seen = looked.observe(0, core.cond);
  for (uint32_t i = 0; i < seen.finished_count; ++i) ASSERT_EQ(seen.finished[i].slot, finished + i) << "not in order, or twice";
  total->both_at_once += seen.finished_count == 2;
  ASSERT_LE(placed - finished - seen.finished_count, 2u);
  if (seen.changed) walk(looked, core, placed, finished + seen.finished_count, depth - 1, total);
}

TEST(CoreTable, every_order_of_dispatch_ACK_FIN_and_look_finishes_each_task_once_and_in_order) {
  for (uint32_t first_sequence : {1u, wire::kMaxSequence - 2}) {
    CoreTable table;
    table.init(kGeneration, 1, first_sequence);
    Walk total;
    walk(table, {}, 0, 0, 28, &total);
    EXPECT_GT(total.schedules, 1000u);
    EXPECT_GT(total.both_at_once, 0u);
  }
}

}  // namespace
}  // namespace taskmill::aicpu
