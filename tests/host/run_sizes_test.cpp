#include "host/run_sizes.h"

#include <gtest/gtest.h>

namespace taskmill {
namespace {

void expect_refused(const RunConfig& config, const std::string& message) {
  const Result<wire::GraphSizes> sizes = graph_sizes(config);
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sizes.error().message, message);
}

TEST(RunSizes, zeros_stand_for_the_defaults) {
  const wire::GraphSizes sizes = *graph_sizes({});
  for (const wire::RingSizes& ring : sizes.rings) {
    EXPECT_EQ(ring.task_window, 16'384u);
    EXPECT_EQ(ring.heap_bytes, 256u << 20);
    EXPECT_EQ(ring.edge_nodes, 16'384u);
    EXPECT_EQ(ring.argument_lines, 16u * 16'384u);
  }
}

TEST(RunSizes, one_number_is_for_every_ring_and_four_are_for_one_each) {
  RunConfig config;
  config.task_window = 32;
  config.heap_bytes = {1'024, 2'048, 0, 4'096};
  config.edge_nodes[2] = 9;
  const wire::GraphSizes sizes = *graph_sizes(config);
  for (const wire::RingSizes& ring : sizes.rings) EXPECT_EQ(ring.task_window, 32u);
  EXPECT_EQ(sizes.rings[0].heap_bytes, 1'024u);
  EXPECT_EQ(sizes.rings[1].heap_bytes, 2'048u);
  EXPECT_EQ(sizes.rings[2].heap_bytes, 256u << 20) << "0 is the default of that ring";
  EXPECT_EQ(sizes.rings[3].heap_bytes, 4'096u);
  EXPECT_EQ(sizes.rings[1].edge_nodes, 16'384u);
  EXPECT_EQ(sizes.rings[2].edge_nodes, 9u);
}

TEST(RunSizes, argument_lines_follow_the_window) {
  RunConfig config;
  config.task_window = {64, 4, 128, 8};
  const wire::GraphSizes sizes = *graph_sizes(config);
  for (const wire::RingSizes& ring : sizes.rings) EXPECT_EQ(ring.argument_lines, 16 * ring.task_window);
}

TEST(RunSizes, the_smallest_legal_sizes_are_accepted) {
  RunConfig config;
  config.task_window = 4;
  config.heap_bytes = 1'024;
  config.edge_nodes = 4;
  config.argument_lines = 4;
  EXPECT_TRUE(graph_sizes(config));
}

TEST(RunSizes, an_illegal_size_is_told_with_its_ring_and_what_is_legal) {
  RunConfig window, heap, edges, lines;
  window.task_window = 48;
  expect_refused(window, "task_window of scope depth 0 is 48, it must be a power of two from 4 to 16,777,216");
  window.task_window = {4, 4, 2, 4};
  expect_refused(window, "task_window of scope depth 2 is 2, it must be a power of two from 4 to 16,777,216");
  window.task_window = uint64_t{1} << 32;
  expect_refused(window, "task_window of scope depth 0 is 4,294,967,296, it must be a power of two from 4 to 16,777,216");
  heap.heap_bytes[1] = 1'500;
  expect_refused(heap, "heap_bytes of scope depth 1 is 1,500, it must be a multiple of 1,024, at most 2,199,023,255,552");
  heap.heap_bytes = ~uint64_t{0} << 10;
  EXPECT_FALSE(graph_sizes(heap));
  edges.edge_nodes[3] = 3;
  expect_refused(edges, "edge_nodes of scope depths 3 and deeper is 3, it must be 4 to 268,435,456");
  lines.argument_lines[3] = (uint64_t{1} << 32) + 4;
  expect_refused(lines, "argument_lines of scope depths 3 and deeper is 4,294,967,300, it must be 4 to 268,435,456");
}

TEST(RunSizes, the_largest_window_has_legal_default_lines) {
  RunConfig config;
  config.task_window = 1u << 24;
  EXPECT_TRUE(graph_sizes(config));
}

}  // namespace
}  // namespace taskmill
