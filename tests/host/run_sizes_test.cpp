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
  EXPECT_EQ(sizes.task_window, 16'384u);
  EXPECT_EQ(sizes.heap_bytes, 256u << 20);
  EXPECT_EQ(sizes.edge_nodes, 16'384u);
  EXPECT_EQ(sizes.argument_lines, 16u * 16'384u);
}

TEST(RunSizes, argument_lines_follow_the_window) {
  RunConfig config;
  config.task_window = 64;
  EXPECT_EQ(graph_sizes(config)->argument_lines, 1'024u);
}

TEST(RunSizes, the_smallest_legal_sizes_are_accepted) {
  RunConfig config;
  config.task_window = 4;
  config.heap_bytes = 1'024;
  config.edge_nodes = 4;
  config.argument_lines = 4;
  EXPECT_TRUE(graph_sizes(config));
}

TEST(RunSizes, an_illegal_size_is_told_with_what_is_legal) {
  RunConfig window, heap, edges, lines;
  window.task_window = 48;
  expect_refused(window, "task_window is 48, it must be a power of two from 4 to 16,777,216");
  window.task_window = 2;
  expect_refused(window, "task_window is 2, it must be a power of two from 4 to 16,777,216");
  heap.heap_bytes = 1'500;
  expect_refused(heap, "heap_bytes is 1,500, it must be a multiple of 1,024, at most 2,199,023,255,552");
  heap.heap_bytes = ~uint64_t{0} << 10;
  EXPECT_FALSE(graph_sizes(heap));
  edges.edge_nodes = 3;
  expect_refused(edges, "edge_nodes is 3, it must be 4 to 268,435,456");
  lines.argument_lines = 3;
  expect_refused(lines, "argument_lines is 3, it must be 4 to 268,435,456");
}

TEST(RunSizes, the_largest_window_has_legal_default_lines) {
  RunConfig config;
  config.task_window = 1u << 24;
  EXPECT_TRUE(graph_sizes(config));
}

}  // namespace
}  // namespace taskmill
