// Long graphs through small rings.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

TensorSpec bytes_spec(uint32_t bytes) { return TensorSpec(&bytes, 1, DataType::kUint8); }

uint64_t* words(const ToyChip& chip, uint32_t slot, uint32_t argument) {
  const auto* view = chip.region.line_as<TensorDescriptor>(chip.region.tensor_slots(slot)[argument].line());
  return reinterpret_cast<uint64_t*>(view->buffer.addr) + view->start_offset / sizeof(uint64_t);
}

// Task i writes i mixed with what the two tasks before it wrote.
class TwoBefore {
 public:
  explicit TwoBefore(ToyRun& run) : run_(run) {
    run.chip.on_run = [this](uint32_t slot) { execute(slot); };
  }

  void submit(TaskArgs& args, SubmitResult& made) {
    const auto i = static_cast<uint32_t>(expected_.size());
    uint64_t value = i;
    if (i >= 2) value = Random::mix(Random::mix(value + expected_[i - 2]) + expected_[i - 1]);
    expected_.push_back(value);
    made = run_.submit(args);
    run_.chip.run_some(run_.chip.random.below(2));
  }
  void expect_all_right() {
    run_.chip.run_all();
    EXPECT_FALSE(run_.builder.fatal());
    EXPECT_EQ(run_.chip.order.size(), expected_.size());
    EXPECT_EQ(wrong_, 0u) << "tasks that read something else";
  }

 private:
  void execute(uint32_t slot) {
    const graph::TaskDescription& task = run_.chip.region.slots[slot].description();
    uint64_t value = task.task;
    for (uint32_t i = 0; i + 1 < task.tensor_count; ++i) value = Random::mix(value + *words(run_.chip, slot, i));
    wrong_ += value != expected_[task.task];
    *words(run_.chip, slot, task.tensor_count - 1) = value;
  }

  ToyRun& run_;
  std::vector<uint64_t> expected_;
  uint32_t wrong_ = 0;
};

// A buffer lives as long as its scope, so an endless stream writes cells of an entry tensor in turn.
TEST(Stream, F01_66000_tasks_each_reading_the_two_before_pass_a_small_window_with_the_smallest_edge_pool) {
  constexpr uint32_t kTasks = 66'000, kCells = 12;
  ToyRun run({.window = 16, .argument_lines = 256, .edge_nodes = graph::kMinEdgeNodes}, {8 * kCells});
  TwoBefore stream(run);
  const auto cell = [&](uint32_t i) { return run.entry(0).rows(i % kCells * 8, 8); };
  for (uint32_t i = 0; i < kTasks; ++i) {
    const Tensor first = cell(i + kCells - 2), second = cell(i + kCells - 1), own = cell(i);
    TaskArgs args;
    SubmitResult made;
    if (i >= 2) args.add_input(first, second);
    stream.submit(args.add_output(own), made);
  }
  stream.expect_all_right();
  EXPECT_LE(run.builder.use(0).edge_nodes.peak, graph::kMinEdgeNodes);
  EXPECT_EQ(run.builder.use(0).tasks.peak, 15u);
}

TEST(Stream, F01_runtime_made_outputs_of_66000_tasks_live_in_one_scope_if_the_window_holds_them) {
  constexpr uint32_t kTasks = 66'000;
  ToyRun run({.window = 1u << 17, .argument_lines = 1u << 18, .edge_nodes = graph::kMinEdgeNodes, .heap_bytes = uint64_t{1} << 27}, {});
  TwoBefore stream(run);
  const TensorSpec word = bytes_spec(8);
  Tensor before[2] = {};
  for (uint32_t i = 0; i < kTasks; ++i) {
    TaskArgs args;
    SubmitResult made;
    if (i >= 2) args.add_input(before[0], before[1]);
    stream.submit(args.add_output(word), made);
    before[0] = before[1];
    before[1] = made.outputs[0];
  }
  stream.expect_all_right();
  EXPECT_EQ(run.builder.use(0).tasks.peak, kTasks);
}

TEST(Stream, tasks_wider_than_a_slots_edges_pass_the_smallest_edge_pool) {
  constexpr uint32_t kCells = 24;
  ToyRun run({.window = 64, .argument_lines = 1024, .edge_nodes = graph::kMinEdgeNodes}, {8 * kCells});
  for (uint32_t round = 0; round < 500; ++round) {
    for (uint32_t i = 0; i < kCells; ++i) run.submit(TaskArgs().add_output(run.entry(0).rows(i * 8, 8)));
    run.submit(TaskArgs().add_input(run.entry(0)));
  }
  run.chip.run_all();
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_GT(run.chip.blocked, 0u);
  EXPECT_EQ(run.builder.use(0).edge_nodes.peak, graph::kMinEdgeNodes);
  EXPECT_EQ(run.chip.order.size(), 500u * (kCells + 1));
}

TEST(Stream, one_reader_after_10000_disjoint_writers_again_and_again) {
  constexpr uint32_t kWriters = 10'000;
  ToyRun run({.window = 1u << 15, .argument_lines = 1u << 17, .edge_nodes = 1u << 15}, {kWriters});
  std::vector<uint32_t> producers(4 * (1u << 15) + graph::kGroupWindow);  // by slot
  run.chip.on_edge = [&](uint32_t, uint32_t consumer) {
    if (consumer != graph::kNoSlot) ++producers[consumer];
  };
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < kWriters; ++i) run.submit(TaskArgs().add_output(run.entry(0).rows(i)));
    run.submit(TaskArgs().add_input(run.entry(0)));
  }
  run.chip.run_all();
  ASSERT_FALSE(run.builder.fatal());
  EXPECT_EQ(producers[4 * (1u << 15)], 0u) << "no group for a single reader";
  EXPECT_EQ(producers[kWriters], kWriters) << "the reader";
  EXPECT_EQ(producers[kWriters + 1], 2u) << "a second writer follows the first one of its bytes, and their reader";
}

TEST(Stream, a_scope_per_iteration_recycles_heap_and_lines_for_ever) {
  ToyRun run({.window = 8, .argument_lines = 32, .edge_nodes = 4, .heap_bytes = 8192}, {64});
  for (int i = 0; i < 20'000; ++i) {
    run.builder.scope_begin("loop.cpp", 1);
    const SubmitResult made = run.submit(TaskArgs().add_input(run.entry(0)).add_output(bytes_spec(1 + i % 3000)));
    const SubmitResult more = run.submit(TaskArgs().add_input(made.outputs[0]).add_output(bytes_spec(8)));
    run.submit(TaskArgs().add_input(more.outputs[0]).add_inout(run.entry(0)));
    run.builder.scope_end();
    run.chip.run_some(run.chip.random.below(4));
  }
  run.builder.finish();
  run.chip.run_all();
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_EQ(run.chip.order.size(), 60'000u);
  EXPECT_LE(run.builder.use(1).heap_bytes.peak, 8192u);
  EXPECT_LE(run.builder.use(1).argument_lines.peak, 32u);
}

}  // namespace
}  // namespace taskmill::test
