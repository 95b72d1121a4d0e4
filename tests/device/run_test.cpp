// Whole runs: orchestrator, scheduler and cores together.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness.h"
#include "referee.h"
#include "variant/tmr/aicpu/tmr_entry.h"
#include "wire/token.h"

namespace taskmill::test {
namespace {

constexpr int32_t kAddOne = 0, kAdd = 1, kBump = 2, kTouch = 3;

void set_kernels(Chip& chip) {
  chip.set_kernel(kAddOne, add_one_kernel);
  chip.set_kernel(kAdd, add_kernel);
  chip.set_kernel(kBump, bump_kernel);
  chip.set_kernel(kTouch, touch_kernel);
}

sim::SeededOptions seeded(uint64_t seed, uint64_t kernel_ns = 1000) {
  sim::SeededOptions options;
  options.seed = seed;
  options.cost.kernel_ns = [kernel_ns](const wire::CoreContext&) { return kernel_ns; };
  options.max_steps = 10'000'000;
  return options;
}

TEST(Run, one_task_goes_through_orchestrator_scheduler_and_core) {
  std::vector<float> in = {1, 2, 3, 4}, out(4, 0);
  Chip chip({});
  set_kernels(chip);
  chip.add_tensor(in.data(), {4}, DataType::kFloat32);
  chip.add_tensor(out.data(), {4}, DataType::kFloat32);
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs& args) {
    submit_aiv_task(kAddOne, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)));
  });
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  EXPECT_EQ(report.code(), ErrorCode::kOk) << report.message();
  EXPECT_EQ(out, (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(report.result.submitted, 1u);
  EXPECT_EQ(report.result.completed, 1u);
  EXPECT_TRUE(report.result.stuck_cores.empty());
  EXPECT_EQ(report.result.rings[0].tasks.peak, 1u);
  EXPECT_EQ(report.result.rings[0].tasks.size, 63u);
}

TEST(Run, an_orchestration_without_tasks_ends_the_run) {
  Chip chip({});
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs&) {});
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  EXPECT_EQ(report.code(), ErrorCode::kOk);
  EXPECT_EQ(report.result.submitted, 0u);
}

// f = (a + b + 1)(a + b + 2) + (a + b) with add kernels only: here a + b, then + 1 twice, then the sum of all three.
void diamond(const OrchestrationArgs& args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1), &out = args.tensor(2);
  const TensorSpec like_a(a.shapes, a.ndims, a.dtype);
  TASKMILL_SCOPE() {
    const Outputs sum = submit_aic_task(kAdd, TaskArgs().add_input(a, b).add_output(like_a));
    TASKMILL_SCOPE() {
      const Outputs one = submit_aiv_task(kAddOne, TaskArgs().add_input(sum[0]).add_output(like_a));
      const Outputs two = submit_aiv_task(kAddOne, TaskArgs().add_input(one[0]).add_output(like_a));
      const Outputs both = submit_aiv_task(kAdd, TaskArgs().add_input(one[0], two[0]).add_output(like_a));
      submit_aic_task(kAdd, TaskArgs().add_input(both[0], sum[0]).add_output(out));
    }
  }
}

TEST(Run, cube_and_vector_tasks_hand_buffers_of_nested_scopes_on_under_many_seeds) {
  std::vector<float> a(33), b(33), out(33);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 100.0f);
  Chip chip({.clusters = 2});
  set_kernels(chip);
  for (auto* tensor : {&a, &b, &out}) chip.add_tensor(tensor->data(), {33}, DataType::kFloat32);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::fill(out.begin(), out.end(), -1.0f);
    const RunReport report = chip.run(seeded(seed), diamond);
    ASSERT_TRUE(report.outcome.finished()) << "seed " << seed << ": " << report.outcome.waiting;
    ASSERT_EQ(report.code(), ErrorCode::kOk) << report.message();
    for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 3 * (a[i] + b[i]) + 3) << "seed " << seed << ", element " << i;
  }
}

// `width` chains of `length` bumps, each over its own row.
Body chains(uint32_t width, uint32_t length, CoreType type) {
  return [=](const OrchestrationArgs& args) {
    for (uint32_t step = 0; step < length; ++step) {
      for (uint32_t row = 0; row < width; ++row) {
        const Tensor own = args.tensor(0).rows(row);
        submit(TaskArgs().add_inout(own).spec(kBump, type));
      }
    }
  };
}

struct Shape {
  const arch::ChipTraits* traits;
  uint32_t cores;
};

class WholeChip : public testing::TestWithParam<Shape> {};

TEST_P(WholeChip, runs_as_many_kernels_at_once_as_the_graph_and_the_cores_allow) {
  const uint32_t clusters = GetParam().traits->clusters;
  for (uint32_t width : {1u, 10u, 2 * clusters, 5 * clusters}) {
    std::vector<float> rows(width * 4, 0);
    Chip chip({.traits = GetParam().traits,
               .clusters = clusters,
               .sizes = equal_rings({.task_window = 1024, .argument_lines = 8192, .edge_nodes = 64, .reserved = 0, .heap_bytes = 1024})});
    EXPECT_EQ(chip.cores(), GetParam().cores);
    set_kernels(chip);
    chip.add_tensor(rows.data(), {width, 4}, DataType::kFloat32);
    const RunReport report = chip.run(seeded(width), chains(width, 3, CoreType::kAiv));
    EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
    EXPECT_EQ(report.code(), ErrorCode::kOk) << report.message();
    EXPECT_EQ(report.outcome.peak_kernels, std::min(width, 2 * clusters));
    EXPECT_EQ(report.result.completed, 3 * width);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), 3.0f), static_cast<int64_t>(rows.size()));
  }
}

TEST_P(WholeChip, keeps_every_core_of_both_shapes_busy) {
  const uint32_t clusters = GetParam().traits->clusters;
  Chip chip({.traits = GetParam().traits, .clusters = clusters, .sizes = equal_rings({1024, 2048, 64, 0, 1024})});
  set_kernels(chip);
  touched() = 0;
  const RunReport report = chip.run(seeded(3), [&](const OrchestrationArgs&) {
    for (uint32_t i = 0; i < 4 * clusters; ++i) {
      submit_aic_task(kTouch, TaskArgs());
      submit_aiv_task(kTouch, TaskArgs());
    }
  });
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  EXPECT_EQ(report.outcome.peak_kernels, 3 * clusters);
  EXPECT_EQ(touched(), 8 * clusters);
  EXPECT_GT(Referee::current().followers(), 0u) << "pending slots were used";
  // 4 waves of cube tasks and 2 of vector tasks, side by side; a follower starts at the end of the kernel before it.
  EXPECT_EQ(report.outcome.virtual_ns, 4000u);
}

INSTANTIATE_TEST_SUITE_P(Archs, WholeChip, testing::Values(Shape{&arch::kA2a3, 72}, Shape{&arch::kA5, 108}),
                         [](const auto& info) { return info.param.traits->name; });

TEST(Run, the_smallest_window_carries_a_graph_a_hundred_times_its_size) {
  std::vector<float> rows(8, 0);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Chip chip({.sizes = equal_rings({.task_window = 4, .argument_lines = 64, .edge_nodes = 4, .reserved = 0, .heap_bytes = 1024})});
    set_kernels(chip);
    std::fill(rows.begin(), rows.end(), 0.0f);
    chip.add_tensor(rows.data(), {8, 1}, DataType::kFloat32);
    const RunReport report = chip.run(seeded(seed, 10), chains(8, 50, CoreType::kAic));
    ASSERT_TRUE(report.outcome.finished()) << "seed " << seed << ": " << report.outcome.waiting;
    ASSERT_EQ(report.code(), ErrorCode::kOk) << report.message();
    EXPECT_EQ(report.result.completed, 400u);
    EXPECT_EQ(report.result.rings[0].tasks.peak, 3u);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), 50.0f), 8);
  }
}

TEST(Run, sequences_wrap_in_the_middle_of_a_run) {
  for (uint32_t before = 0; before < 4; ++before) {
    std::vector<float> rows(2, 0);
    Chip chip({.first_sequence = wire::kMaxSequence - before});
    set_kernels(chip);
    chip.add_tensor(rows.data(), {2, 1}, DataType::kFloat32);
    const RunReport report = chip.run(seeded(before + 1), chains(2, 20, CoreType::kAic));
    EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
    EXPECT_EQ(rows, (std::vector<float>{20, 20}));
    EXPECT_EQ(wire::token_sequence(chip.registers(0).answer()), 40 - before - 1);
  }
}

TEST(Run, the_result_names_the_use_of_the_rings_of_each_scope_depth) {
  std::vector<float> in(256, 1), out(256);
  Chip chip({});
  set_kernels(chip);
  chip.add_tensor(in.data(), {256}, DataType::kFloat32);
  chip.add_tensor(out.data(), {256}, DataType::kFloat32);
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs& args) {
    const Tensor& a = args.tensor(0);
    const TensorSpec like_a(a.shapes, a.ndims, a.dtype);
    const Outputs one = submit_aiv_task(kAddOne, TaskArgs().add_input(a).add_output(like_a));
    const Outputs two = submit_aiv_task(kAddOne, TaskArgs().add_input(one[0]).add_output(like_a));
    submit_aiv_task(kAdd, TaskArgs().add_input(one[0], two[0]).add_output(args.tensor(1)));
    TASKMILL_SCOPE() { submit_aiv_task(kAddOne, TaskArgs().add_input(a).add_output(like_a)); }
  });
  EXPECT_EQ(report.code(), ErrorCode::kOk) << report.message();
  EXPECT_EQ(out[0], 5.0f);
  const wire::RingUse& outer = report.result.rings[0];
  const wire::RingUse& inner = report.result.rings[1];
  EXPECT_EQ(outer.heap_bytes.peak, 2048u);
  EXPECT_EQ(outer.heap_bytes.size, uint64_t{1} << 20);
  EXPECT_GE(outer.heap_bytes.enough, 2048u);
  EXPECT_EQ(outer.tasks.size, 63u);
  EXPECT_EQ(outer.argument_lines.size, 1024u);
  EXPECT_EQ(outer.edge_nodes.size, 64u);
  EXPECT_GT(outer.argument_lines.peak, 0u);
  EXPECT_EQ(inner.heap_bytes.peak, 1024u);
  EXPECT_EQ(inner.tasks.peak, 1u);
  EXPECT_EQ(report.result.rings[2].tasks.peak, 0u);
  EXPECT_EQ(report.result.rings[2].heap_bytes.peak, 0u);
}

TEST(Run, entry_scalars_reach_the_orchestration_and_task_scalars_the_kernel) {
  Chip chip({});
  static uint64_t seen;
  chip.set_kernel(0, [](int64_t* args) { seen = scalar<uint64_t>(args, 0) * 10 + scalar<uint32_t>(args, 1); });
  chip.add_scalar(4);
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs& args) {
    submit_aic_task(0, TaskArgs().add_scalar(args.scalar<uint64_t>(0)).add_scalar(uint32_t{2}));
  });
  EXPECT_EQ(report.code(), ErrorCode::kOk);
  EXPECT_EQ(seen, 42u);
}

// ---- trace

TEST(Run, the_trace_has_a_span_per_task_on_its_core_and_one_for_the_orchestration) {
  std::vector<float> rows(6, 0);
  Chip chip({.clusters = 2, .trace = true});
  set_kernels(chip);
  chip.add_tensor(rows.data(), {6, 1}, DataType::kFloat32);
  const RunReport report = chip.run(seeded(5), chains(6, 4, CoreType::kAiv));
  ASSERT_EQ(report.code(), ErrorCode::kOk);
  std::vector<uint32_t> tasks;
  for (uint32_t core = 0; core < chip.cores(); ++core) {
    uint64_t free_ns = 0;
    for (const wire::SpanRecord& span : chip.spans(core)) {
      EXPECT_EQ(span.kind, wire::SpanKind::kKernel);
      EXPECT_EQ(span.lane, core);
      EXPECT_EQ(span.kernel_id, kBump);
      EXPECT_GE(span.start_ns, free_ns);
      EXPECT_GE(span.end_ns, span.start_ns);
      free_ns = span.end_ns;
      tasks.push_back(span.task);
    }
  }
  std::sort(tasks.begin(), tasks.end());
  std::vector<uint32_t> expected(24);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(tasks, expected);
  const uint32_t orchestrator = chip.cores() + 1;
  ASSERT_EQ(chip.spans(orchestrator).size(), 1u);
  EXPECT_EQ(chip.spans(orchestrator)[0].kind, wire::SpanKind::kOrchestration);
}

TEST(Run, a_full_trace_lane_counts_what_it_drops) {
  std::vector<float> rows(1, 0);
  Chip chip({.trace = true, .trace_records_per_lane = 3});
  set_kernels(chip);
  chip.add_tensor(rows.data(), {1, 1}, DataType::kFloat32);
  const RunReport report = chip.run(seeded(5), chains(1, 10, CoreType::kAic));
  ASSERT_EQ(report.code(), ErrorCode::kOk);
  EXPECT_EQ(chip.spans(0).size(), 3u);
  EXPECT_EQ(chip.dropped_spans(0), 7u);
  EXPECT_EQ(chip.dropped_spans(1), 0u);
}

TEST(Run, the_trace_shows_when_the_orchestration_waited_for_room) {
  std::vector<float> rows(1, 0);
  Chip chip({.sizes = equal_rings({4, 64, 4, 0, 1024}), .trace = true});
  set_kernels(chip);
  chip.add_tensor(rows.data(), {1, 1}, DataType::kFloat32);
  const RunReport report = chip.run(seeded(5), chains(1, 10, CoreType::kAic));
  ASSERT_EQ(report.code(), ErrorCode::kOk);
  const std::vector<wire::SpanRecord> spans = chip.spans(chip.cores() + 1);
  const auto blocked = std::count_if(spans.begin(), spans.end(), [](const auto& span) { return span.kind == wire::SpanKind::kBlocked; });
  EXPECT_GT(blocked, 0);
}

TEST(Run, the_exported_entry_of_each_chip_accepts_only_its_own_arch) {
  constexpr wire::AicpuEntry kA2a3Entry = tmr::entry<arch::kA2a3>();
  EXPECT_STREQ(kA2a3Entry.name, "tmr");
  Chip chip({});
  set_kernels(chip);
  touched() = 0;
  const Body body = [](const OrchestrationArgs&) { submit_aiv_task(kTouch, TaskArgs()); };
  ASSERT_EQ(chip.run(seeded(1), body).code(), ErrorCode::kOk);
  sim::SeededExecutor executor(seeded(2));
  EXPECT_TRUE(executor.run(kA2a3Entry, core_program(), chip.launch()).finished());
  EXPECT_EQ(touched(), 2u);
  EXPECT_EQ(executor.run(tmr::entry<arch::kA5>(), core_program(), chip.launch()).refusal, static_cast<int32_t>(ErrorCode::kBadLaunchBlock));
}

// A stream that is far longer than the window, with a slow kernel now and then: back-pressure all the way, and no deadlock.
TEST(Stream, F03_525312_tasks_pass_a_window_of_16384_with_every_thousandth_kernel_slow) {
  constexpr uint32_t kOuter = 256, kGroups = 4, kInner = 128 * 4;
  std::vector<uint32_t> counts(kInner, 0);
  Chip chip({.clusters = 24, .sizes = equal_rings({16'384, 4 * 16'384, 16'384, 0, 1024})});
  chip.set_kernel(0, [](int64_t* args) { ++*data<uint32_t>(args, 0); });
  chip.set_kernel(1, [](int64_t*) {});
  chip.add_tensor(counts.data(), {kInner}, DataType::kUint32);
  sim::SeededOptions options = seeded(1);
  options.cost.kernel_ns = [](const wire::CoreContext& core) { return core.payload.task % 1000 == 0 ? 50'000 : 1'000; };
  const RunReport report = chip.run(options, [&](const OrchestrationArgs& args) {
    for (uint32_t group = 0; group < kOuter * kGroups; ++group) {
      for (uint32_t i = 0; i < kInner; ++i) submit_aiv_task(0, TaskArgs().add_inout(args.tensor(0).rows(i)));
      submit_aic_task(1, TaskArgs().add_input(args.tensor(0)));
    }
  });
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  EXPECT_EQ(report.code(), ErrorCode::kOk) << report.message();
  EXPECT_EQ(report.result.completed, 525'312u);
  EXPECT_EQ(report.result.rings[0].tasks.peak, 16'383u);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), kOuter * kGroups), kInner);
}

TEST(Stream, F03_a_kernel_of_one_virtual_hour_is_no_deadlock_when_both_limits_are_off) {
  constexpr uint64_t kHour = 3600'000'000'000;
  uint32_t word = 0;
  Chip chip({.clusters = 1, .sizes = equal_rings({4, 64, 4, 0, 1024})});
  chip.set_kernel(0, [](int64_t* args) { ++*data<uint32_t>(args, 0); });
  chip.add_tensor(&word, {1}, DataType::kUint32);
  sim::SeededOptions options = seeded(1);
  options.cost.kernel_ns = [](const wire::CoreContext&) { return kHour; };
  const RunReport report = chip.run(options, [&](const OrchestrationArgs& args) {
    for (int i = 0; i < 10; ++i) submit_aiv_task(0, TaskArgs().add_inout(args.tensor(0)));
  });
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  EXPECT_EQ(report.code(), ErrorCode::kOk) << report.message();
  EXPECT_EQ(word, 10u);
  EXPECT_EQ(report.outcome.virtual_ns, 10 * kHour);
}

}  // namespace
}  // namespace taskmill::test
