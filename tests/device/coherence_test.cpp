// The non-coherent mode: AICPU and cores each see the run region in memory of their own, and only publish, invalidate and
// clean move bytes between them. Each call that is left out, one at a time, must show.
#include <gtest/gtest.h>

#include <vector>

#include "harness.h"

namespace taskmill::test {
namespace {

constexpr uint32_t kTasks = 40;
constexpr int32_t kStore = 0, kReport = 1, kCopy = 2;

// Adds the scalar to the element that the tensor is a view of.
void store_kernel(int64_t* args) { *data<uint32_t>(args, 0) += scalar<uint32_t>(args, 1); }
void copy_kernel(int64_t* args) { *data<uint32_t>(args, 1) = *data<uint32_t>(args, 0); }

void report_kernel(int64_t* args) {
  const auto* context =
      reinterpret_cast<const wire::CoreContext*>(reinterpret_cast<const std::byte*>(args) - offsetof(wire::CoreContext, args));
  auto* mailboxes = reinterpret_cast<wire::CoreMailbox*>(context->region);
  for (wire::CompletionSlab& slab : mailboxes[context->core].slab) slab.error_code = 102;
}

struct Outcome {
  std::vector<uint32_t> cells;
  int32_t code;
  bool finished;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

using Drop = std::function<bool(sim::PortCall call, sim::Unit caller)>;

// Every task stores a number of its own in a cell of its own, on one core, so that mailbox and argument lines are used again
// and again: what a forgotten call leaves behind is an older task's.
Outcome store_cells(const Drop& drop) {
  std::vector<uint32_t> cells(kTasks, 0);
  Chip chip({.sizes = equal_rings({.task_window = 4, .argument_lines = 16, .edge_nodes = 4, .reserved = 0, .heap_bytes = 4096})});
  chip.set_kernel(kStore, store_kernel);
  chip.add_tensor(cells.data(), {kTasks}, DataType::kUint32);
  sim::SeededOptions options;
  options.noncoherent = true;
  options.hooks.drop = drop;
  options.max_steps = 100'000;
  const RunReport report = chip.run(options, [](const OrchestrationArgs& args) {
    for (uint32_t i = 0; i < kTasks; ++i) submit_aic_task(kStore, TaskArgs().add_inout(args.tensor(0).rows(i)).add_scalar(i + 1));
  });
  return {cells, report.result.error.code, report.outcome.finished()};
}

Outcome good_outcome() {
  std::vector<uint32_t> cells(kTasks);
  for (uint32_t i = 0; i < kTasks; ++i) cells[i] = i + 1;
  return {cells, 0, true};
}

// Counts the calls of one kind by one kind of unit, and drops the one that it is told to.
struct OneDropped {
  sim::PortCall call;
  sim::UnitKind caller;
  uint64_t dropped;
  uint64_t seen = 0;
  bool operator()(sim::PortCall c, sim::Unit unit) { return c == call && unit.kind == caller && seen++ == dropped; }
};

uint64_t count_calls(sim::PortCall call, sim::UnitKind caller) {
  OneDropped counter = {call, caller, ~uint64_t{0}};
  EXPECT_EQ(store_cells(std::ref(counter)), good_outcome());
  return counter.seen;
}

// The second half of the calls: what they move was moved before, so the older bytes are an older task's, not poison.
void each_call_matters(sim::PortCall call, sim::UnitKind caller) {
  const uint64_t calls = count_calls(call, caller);
  ASSERT_GE(calls, kTasks);
  for (uint64_t i = calls / 2; i < calls; ++i) {
    EXPECT_NE(store_cells(OneDropped{call, caller, i}), good_outcome()) << "call " << i << " of " << calls;
  }
}

TEST(Coherence, tasks_run_when_nothing_is_forgotten) { EXPECT_EQ(store_cells({}), good_outcome()); }

TEST(Coherence, each_publish_of_a_payload_or_of_arguments_matters) {
  each_call_matters(sim::PortCall::kPublish, sim::UnitKind::kScheduler);
}

TEST(Coherence, each_invalidate_of_a_core_matters) { each_call_matters(sim::PortCall::kInvalidate, sim::UnitKind::kCore); }

// The kernel of the last task stores a code in its slab.
int32_t reported(const Drop& drop) {
  Chip chip({});
  chip.set_kernel(kReport, report_kernel);
  sim::SeededOptions options;
  options.noncoherent = true;
  options.hooks.drop = drop;
  return chip.run(options, [](const OrchestrationArgs&) { submit_aic_task(kReport, TaskArgs()); }).result.error.code;
}

TEST(Coherence, a_code_in_the_slab_arrives_only_if_the_core_cleans_and_the_AICPU_invalidates) {
  EXPECT_EQ(reported({}), 102);
  EXPECT_EQ(reported([](sim::PortCall call, sim::Unit) { return call == sim::PortCall::kClean; }), 0);
  EXPECT_EQ(reported([](sim::PortCall call, sim::Unit unit) {
              return call == sim::PortCall::kInvalidate && unit.kind == sim::UnitKind::kScheduler;
            }),
            0);
}

// A buffer that the runtime made: its descriptor is published by the orchestrator, when the buffer is made, and read by
// tasks that name the whole of it.
Outcome copy_cells(const Drop& drop) {
  std::vector<uint32_t> cells(kTasks, 0);
  Chip chip({.sizes = equal_rings({.task_window = 4, .argument_lines = 32, .edge_nodes = 4, .reserved = 0, .heap_bytes = 4096})});
  chip.set_kernel(kStore, [](int64_t* args) { *data<uint32_t>(args, 0) = scalar<uint32_t>(args, 1); });
  chip.set_kernel(kCopy, copy_kernel);
  chip.add_tensor(cells.data(), {kTasks}, DataType::kUint32);
  sim::SeededOptions options;
  options.noncoherent = true;
  options.hooks.drop = drop;
  options.max_steps = 100'000;
  const RunReport report = chip.run(options, [](const OrchestrationArgs& args) {
    const uint32_t shape[] = {1};
    for (uint32_t i = 0; i < kTasks; ++i) {
      TASKMILL_SCOPE() {
        const Outputs made = submit_aic_task(kStore, TaskArgs().add_output(TensorSpec(shape, 1, DataType::kUint32)).add_scalar(i + 1));
        submit_aic_task(kCopy, TaskArgs().add_input(made[0]).add_output(args.tensor(0).rows(i)));
      }
    }
  });
  return {cells, report.result.error.code, report.outcome.finished()};
}

TEST(Coherence, descriptors_of_buffers_that_the_runtime_made_reach_the_cores) { EXPECT_EQ(copy_cells({}), good_outcome()); }

}  // namespace
}  // namespace taskmill::test
