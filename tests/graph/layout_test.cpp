// Where things lie: in the run region, and inside the structs that threads or programs share.
#include <gtest/gtest.h>

#include "graph/access_record.h"
#include "graph/region.h"
#include "graph/root.h"
#include "graph/scope_stack.h"
#include "graph/task_record.h"
#include "graph/task_slot.h"

namespace taskmill::test {
namespace {

using namespace graph;

static_assert(sizeof(TaskSlot) == 64 && sizeof(RootRecord) == 64 && sizeof(AccessRecord) == 64 && sizeof(TaskRecord) == 32);
static_assert(sizeof(EdgeNode) == 8 && sizeof(EdgeReturns) == 64 && sizeof(Line) == 64);

constexpr wire::RingSizes kRing = {.task_window = 16, .argument_lines = 100, .edge_nodes = 4, .reserved = 0, .heap_bytes = 2048};
constexpr wire::GraphSizes kSizes = {{kRing, {32, 50, 8, 0, 0}, kRing, {4, 4, 4, 0, 1024}}};

TEST(RegionLayout, parts_follow_the_mailboxes_aligned_and_apart) {
  const RegionLayout layout = RegionLayout::make(72, 3, kSizes);
  ASSERT_TRUE(layout.valid);
  EXPECT_EQ(layout.lines, wire::line_base_offset(72));
  EXPECT_EQ(layout.line_count, 6u + 100 + 50 + 100 + 4 + kGroupWindow * kGroupLines);
  EXPECT_EQ(layout.slots, layout.lines + layout.line_count * 64);
  EXPECT_GE(layout.edge_returns, layout.slots + (16 + 32 + 16 + 4 + kGroupWindow) * sizeof(TaskSlot));
  uint64_t end = layout.edge_returns + 4 * sizeof(EdgeReturns);
  for (uint32_t i = 0; i < wire::kRings; ++i) {
    EXPECT_GE(layout.rings[i].edges, end);
    end = layout.rings[i].edges + layout.rings[i].edge_nodes * sizeof(EdgeNode);
  }
  EXPECT_GE(layout.records, end);
  EXPECT_GE(layout.entry_tensors, layout.records + (68 + kGroupWindow) * sizeof(TaskRecord));
  EXPECT_GE(layout.entry_order, layout.entry_tensors + 3 * sizeof(Tensor));
  EXPECT_GE(layout.bytes, layout.entry_order + 3 * sizeof(uint32_t));
  for (const uint64_t offset :
       {layout.slots, layout.edge_returns, layout.rings[3].edges, layout.records, layout.entry_tensors, layout.bytes}) {
    EXPECT_EQ(offset % kCacheLineBytes, 0u);
  }
  const GraphRegion region = GraphRegion::at(1 << 20, layout);
  EXPECT_EQ(reinterpret_cast<uint64_t>(region.line_as<Line>(2)), (1u << 20) + layout.lines + 128);
}

TEST(RegionLayout, rings_lie_side_by_side_in_every_array) {
  const RegionLayout layout = RegionLayout::make(3, 3, kSizes);
  EXPECT_EQ(layout.rings[0].first_line, 6u);
  EXPECT_EQ(layout.rings[3].first_line, 256u);
  EXPECT_EQ(layout.rings[1].first_slot, 16u);
  EXPECT_EQ(layout.rings[2].first_slot, 48u);
  EXPECT_EQ(layout.rings[kGroupRing].first_slot, 68u);
  EXPECT_EQ(layout.rings[2].heap, 2048u);
  EXPECT_EQ(layout.rings[3].heap, 4096u);
  EXPECT_EQ(kSizes.heap_bytes(), 5120u);
}

TEST(RegionLayout, refuses_sizes_that_no_run_can_use) {
  const auto valid = [](auto change, uint32_t entries = 1) {
    wire::GraphSizes sizes = kSizes;
    change(sizes.rings[2]);
    return RegionLayout::make(3, entries, sizes).valid;
  };
  EXPECT_TRUE(valid([](wire::RingSizes&) {}));
  EXPECT_TRUE(valid([](wire::RingSizes& s) { s = {4, 4, 4, 0, 0}; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.task_window = 2; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.task_window = 24; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.task_window = 1u << 25; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.argument_lines = 3; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.argument_lines = ~0u; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.edge_nodes = 3; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.edge_nodes = ~0u; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.heap_bytes = 1000; }));
  EXPECT_FALSE(valid([](wire::RingSizes& s) { s.heap_bytes = uint64_t{1} << 42; }));
  EXPECT_FALSE(valid([](wire::RingSizes&) {}, kMaxEntryTensors + 1));
}

TEST(TaskSlot, an_argument_block_takes_eight_words_a_line) {
  EXPECT_EQ(argument_block_lines(0, 0, 0), 0u);
  EXPECT_EQ(argument_block_lines(8, 0, 0), 1u);
  EXPECT_EQ(argument_block_lines(8, 1, 0), 2u);
  EXPECT_EQ(argument_block_lines(6, 1, 2), 1u);
  EXPECT_EQ(argument_block_lines(6, 1, 3), 2u);
  EXPECT_EQ(argument_block_lines(32, 16, 0), 6u);
}

TEST(TaskSlot, is_ready_when_the_last_producer_or_the_orchestrator_drops_the_count) {
  TaskSlot slot;
  slot.allocate({});
  EXPECT_TRUE(slot.finish_linking(0));
  slot.mark_done();
  EXPECT_TRUE(slot.done());

  slot.allocate({});
  EXPECT_FALSE(slot.done());
  EXPECT_FALSE(slot.finish_linking(2));
  EXPECT_FALSE(slot.drop_missing());
  EXPECT_TRUE(slot.drop_missing());

  slot.allocate({});
  EXPECT_FALSE(slot.drop_missing());
  EXPECT_FALSE(slot.drop_missing());
  EXPECT_TRUE(slot.finish_linking(2)) << "both producers completed while edges were linked";
}

constexpr auto kIgnore = [](uint32_t, const Frontier&) {};

TEST(ScopeStack, a_serial_is_kept_until_its_scope_ends_and_never_again) {
  ScopeStack scopes;
  ASSERT_TRUE(scopes.begin("a", 1, false));
  ASSERT_TRUE(scopes.begin("b", 2, false));
  const uint32_t inner = scopes.at(1).serial;
  EXPECT_TRUE(scopes.keeps(1, inner));
  EXPECT_FALSE(scopes.keeps(0, inner));
  EXPECT_FALSE(scopes.keeps(1000, inner));
  scopes.end(false, kIgnore);
  EXPECT_FALSE(scopes.keeps(1, inner));
  ASSERT_TRUE(scopes.begin("c", 3, false));
  EXPECT_FALSE(scopes.keeps(1, inner));
  scopes.end(false, kIgnore);
  scopes.end(false, kIgnore);
  EXPECT_EQ(scopes.depth(), 0u);
}

TEST(ScopeStack, a_lingering_scope_is_kept_until_the_next_at_its_depth_or_its_parent_ends) {
  ScopeStack scopes;
  scopes.begin("parent", 1, false);
  const auto child = [&](const char* name) {
    scopes.begin(name, 1, false);
    const uint32_t serial = scopes.at(1).serial;
    scopes.begin("grandchild", 1, false);
    scopes.end(true, kIgnore);
    scopes.end(true, kIgnore);
    return serial;
  };
  const uint32_t first = child("first");
  EXPECT_TRUE(scopes.keeps(1, first));
  scopes.begin("second", 1, false);
  EXPECT_TRUE(scopes.keeps(1, first)) << "the next one is open, not closed";
  const uint32_t second = scopes.at(1).serial;
  scopes.end(true, kIgnore);
  EXPECT_FALSE(scopes.keeps(1, first));
  EXPECT_TRUE(scopes.keeps(1, second));
  EXPECT_FALSE(scopes.keeps(2, second - 1)) << "its parent has ended";
  scopes.end(true, kIgnore);
  EXPECT_FALSE(scopes.keeps(1, second));
}

TEST(ScopeStack, lingering_is_given_up_per_ring_the_outermost_first) {
  ScopeStack scopes;
  uint32_t serial[6] = {};
  for (uint32_t depth = 0; depth < 5; ++depth) {
    scopes.begin("sibling", 1, false);
    serial[depth] = scopes.at(depth).serial;
    scopes.end(true, kIgnore);
    scopes.begin("open", 1, false);
  }
  EXPECT_TRUE(scopes.keeps(1, serial[1]));
  EXPECT_TRUE(scopes.give_up_lingering(1));
  EXPECT_FALSE(scopes.keeps(1, serial[1]));
  EXPECT_FALSE(scopes.give_up_lingering(1));
  EXPECT_TRUE(scopes.give_up_lingering(3));
  EXPECT_FALSE(scopes.keeps(3, serial[3]));
  EXPECT_TRUE(scopes.keeps(4, serial[4])) << "depths 3 and 4 share a ring; the outer scope is older";
  EXPECT_TRUE(scopes.give_up_lingering(3));
  EXPECT_FALSE(scopes.give_up_lingering(3));
  EXPECT_TRUE(scopes.keeps(2, serial[2]));
}

}  // namespace
}  // namespace taskmill::test
