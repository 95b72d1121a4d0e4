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

constexpr wire::GraphSizes kSizes = {.task_window = 16, .argument_lines = 100, .edge_nodes = 4, .reserved = 0, .heap_bytes = 2048};

TEST(RegionLayout, parts_follow_the_mailboxes_aligned_and_apart) {
  const RegionLayout layout = RegionLayout::make(72, 3, kSizes);
  ASSERT_TRUE(layout.valid);
  EXPECT_EQ(layout.lines, wire::line_base_offset(72));
  EXPECT_EQ(layout.first_argument_line, 6u);
  EXPECT_EQ(layout.slots, layout.lines + 106 * 64);
  EXPECT_GE(layout.edge_returns, layout.slots + 16 * sizeof(TaskSlot));
  EXPECT_GE(layout.edges, layout.edge_returns + sizeof(EdgeReturns));
  EXPECT_GE(layout.records, layout.edges + 4 * sizeof(EdgeNode));
  EXPECT_GE(layout.entry_tensors, layout.records + 16 * sizeof(TaskRecord));
  EXPECT_GE(layout.bytes, layout.entry_tensors + 3 * sizeof(Tensor));
  for (const uint64_t offset : {layout.slots, layout.edge_returns, layout.edges, layout.records, layout.entry_tensors, layout.bytes}) {
    EXPECT_EQ(offset % kCacheLineBytes, 0u);
  }
  const GraphRegion region = GraphRegion::at(1 << 20, layout);
  EXPECT_EQ(reinterpret_cast<uint64_t>(region.line_as<Line>(2)), (1u << 20) + layout.lines + 128);
}

TEST(RegionLayout, refuses_sizes_that_no_run_can_use) {
  const auto valid = [](auto change, uint32_t entries = 1) {
    wire::GraphSizes sizes = kSizes;
    change(sizes);
    return RegionLayout::make(3, entries, sizes).valid;
  };
  EXPECT_TRUE(valid([](wire::GraphSizes&) {}));
  EXPECT_TRUE(valid([](wire::GraphSizes& s) { s = {4, 4, 4, 0, 0}; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.task_window = 2; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.task_window = 24; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.task_window = 1u << 25; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.argument_lines = 3; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.argument_lines = ~0u; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.edge_nodes = 3; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.edge_nodes = ~0u; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.heap_bytes = 1000; }));
  EXPECT_FALSE(valid([](wire::GraphSizes& s) { s.heap_bytes = uint64_t{1} << 42; }));
  EXPECT_FALSE(valid([](wire::GraphSizes&) {}, kMaxEntryTensors + 1));
}

TEST(TaskSlot, an_argument_block_takes_eight_words_a_line) {
  EXPECT_EQ(argument_block_lines(0, 0), 0u);
  EXPECT_EQ(argument_block_lines(8, 0), 1u);
  EXPECT_EQ(argument_block_lines(8, 1), 2u);
  EXPECT_EQ(argument_block_lines(32, 16), 6u);
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

TEST(ScopeStack, a_serial_is_open_until_its_scope_ends_and_never_again) {
  ScopeStack scopes;
  ASSERT_TRUE(scopes.begin("a", 1));
  ASSERT_TRUE(scopes.begin("b", 2));
  const uint32_t inner = scopes.at(1).serial;
  EXPECT_TRUE(scopes.is_open(1, inner));
  EXPECT_FALSE(scopes.is_open(0, inner));
  EXPECT_FALSE(scopes.is_open(1000, inner));
  EXPECT_TRUE(scopes.end());
  EXPECT_FALSE(scopes.is_open(1, inner));
  ASSERT_TRUE(scopes.begin("c", 3));
  EXPECT_FALSE(scopes.is_open(1, inner));
  EXPECT_TRUE(scopes.end());
  EXPECT_TRUE(scopes.end());
  EXPECT_FALSE(scopes.end());
}

}  // namespace
}  // namespace taskmill::test
