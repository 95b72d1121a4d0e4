// Contract 1: a deadlock is proven, never guessed, and told with the scope and the numbers that mend it.
#include <gtest/gtest.h>

#include <string>

#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

using wire::Reason;

TensorSpec bytes_spec(uint32_t bytes) { return TensorSpec(&bytes, 1, DataType::kUint8); }

void expect_error(const wire::RunError& error, ErrorCode code, Reason reason, uint64_t needed, uint64_t available) {
  EXPECT_EQ(error.code, static_cast<int32_t>(code));
  EXPECT_EQ(error.reason, reason);
  EXPECT_EQ(error.needed, needed);
  EXPECT_EQ(error.available, available);
}

TEST(Deadlock, F19_a_scope_that_needs_40_slots_of_31_is_told_with_file_and_line) {
  ToyRun run({.window = 32}, {64});
  run.builder.scope_begin("decode.cpp", 120);
  for (int i = 0; i < 40; ++i) run.submit(TaskArgs().add_output(bytes_spec(64)));
  EXPECT_TRUE(run.builder.fatal());
  EXPECT_FALSE(run.chip.fatal()) << "told when the scope ends, with what it would have needed";
  run.builder.scope_end();
  expect_error(run.chip.error, ErrorCode::kScopeDeadlock, Reason::kRingSlots, 40, 31);
  EXPECT_STREQ(run.chip.error.file, "decode.cpp");
  EXPECT_EQ(run.chip.error.line, 120u);
  EXPECT_EQ(run.builder.submitted(), 31u);
  EXPECT_EQ(run.builder.refused(), 9u);
}

TEST(Deadlock, F19_the_same_scope_runs_in_a_window_that_has_the_slots_it_was_told) {
  ToyRun run({.window = 64}, {64});
  run.builder.scope_begin("decode.cpp", 120);
  for (int i = 0; i < 40; ++i) run.submit(TaskArgs().add_output(bytes_spec(64)));
  run.builder.scope_end();
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_EQ(run.builder.use(1).tasks.peak, 40u);
}

// Scopes at depth 3 and deeper share a set of rings.
TEST(Deadlock, the_scope_named_is_the_one_that_must_end_first) {
  ToyRun run({.window = 8}, {64});
  run.builder.scope_begin("one.cpp", 1);
  run.builder.scope_begin("two.cpp", 1);
  run.builder.scope_begin("outer.cpp", 1);
  run.submit(TaskArgs().add_output(bytes_spec(64)));
  for (int i = 0; i < 10; ++i) {
    run.builder.scope_begin("inner.cpp", 2);
    run.submit(TaskArgs().add_output(bytes_spec(64)));
    run.builder.scope_end();
  }
  EXPECT_FALSE(run.chip.fatal());
  run.builder.finish();
  expect_error(run.chip.error, ErrorCode::kFlowControlDeadlock, Reason::kRingSlots, 11, 7);
  EXPECT_STREQ(run.chip.error.file, "outer.cpp");
  EXPECT_EQ(run.chip.error.ring, 3u);
}

TEST(Deadlock, tasks_behind_a_held_one_keep_their_slots_too) {
  ToyRun run({.window = 8}, {64});
  run.builder.scope_begin("held.cpp", 5);
  run.submit(TaskArgs().add_output(bytes_spec(64)));
  for (int i = 0; i < 20; ++i) run.submit(TaskArgs().add_inout(run.entry(0)));
  run.builder.scope_end();
  expect_error(run.chip.error, ErrorCode::kFlowControlDeadlock, Reason::kRingSlots, 21, 7);
}

TEST(Deadlock, buffers_of_one_scope_that_fill_the_heap) {
  ToyRun run({.heap_bytes = 4096}, {});
  run.builder.scope_begin("heap.cpp", 7);
  for (int i = 0; i < 6; ++i) run.submit(TaskArgs().add_output(bytes_spec(1000)));
  run.submit(TaskArgs().add_output(bytes_spec(2000)));
  run.builder.scope_end();
  expect_error(run.chip.error, ErrorCode::kHeapRingDeadlock, Reason::kRingHeap, 8 * 1024, 4096);
  EXPECT_STREQ(run.chip.error.file, "heap.cpp");
}

TEST(Deadlock, room_split_in_two_is_told_as_more_than_there_is) {
  ToyRun run({.heap_bytes = 4096}, {});
  run.builder.scope_begin("gone.cpp", 1);
  run.submit(TaskArgs().add_output(bytes_spec(1024)));
  run.builder.scope_end();
  run.builder.scope_begin("split.cpp", 2);
  run.submit(TaskArgs().add_output(bytes_spec(1024)));
  run.submit(TaskArgs().add_output(bytes_spec(3 * 1024)));  // 1 KiB before, 2 KiB behind the one that is held
  run.builder.scope_end();
  expect_error(run.chip.error, ErrorCode::kHeapRingDeadlock, Reason::kRingHeap, 5 * 1024, 4096);
}

TEST(Deadlock, arguments_of_one_scope_that_fill_their_ring) {
  ToyRun run({.window = 64, .argument_lines = 16}, {});
  run.builder.scope_begin("lines.cpp", 3);
  for (int i = 0; i < 10; ++i) run.submit(TaskArgs().add_output(bytes_spec(8)));  // block, descriptor, root: 3 lines
  run.builder.scope_end();
  expect_error(run.chip.error, ErrorCode::kFlowControlDeadlock, Reason::kRingArguments, 30, 16);
}

TEST(Deadlock, a_task_whose_outputs_together_are_larger_than_the_heap_fails_at_once) {
  ToyRun run({.heap_bytes = 4096}, {});
  run.submit(TaskArgs().add_output(bytes_spec(4000), bytes_spec(1)));
  expect_error(run.chip.error, ErrorCode::kHeapRingDeadlock, Reason::kRingHeap, 5 * 1024, 4096);
  EXPECT_EQ(run.chip.blocked, 0u);
}

TEST(Deadlock, a_task_whose_arguments_are_larger_than_their_ring_fails_at_once) {
  ToyRun run({.argument_lines = 8}, {64});
  TaskArgs args;
  const Tensor row = run.entry(0).rows(0, 8);
  for (int i = 0; i < 8; ++i) args.add_input(row);
  run.submit(args);  // block, 8 descriptors, 8 access records
  expect_error(run.chip.error, ErrorCode::kFlowControlDeadlock, Reason::kRingArguments, 17, 8);
}

TEST(Deadlock, nothing_is_concluded_while_a_task_has_not_completed) {
  ToyRun run({.window = 4}, {64});
  run.builder.scope_begin("busy.cpp", 1);
  for (int i = 0; i < 3; ++i) run.submit(TaskArgs().add_inout(run.entry(0)));
  run.chip.abandon_when_blocked = true;
  EXPECT_EQ(run.submit(TaskArgs().add_inout(run.entry(0))).task_id, kNoTask);
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_EQ(run.chip.blocked, 1u);
}

TEST(Deadlock, an_error_told_by_others_meanwhile_does_not_hide_the_first_one_from_the_orchestration) {
  ToyRun run({.window = 4}, {});
  run.builder.scope_begin("first.cpp", 1);
  for (int i = 0; i < 5; ++i) run.submit(TaskArgs().add_output(bytes_spec(8)));
  wire::RunError own = {};
  own.code = static_cast<int32_t>(ErrorCode::kExplicitOrchFatal);
  run.builder.fail(own);
  run.builder.finish();
  expect_error(run.chip.error, ErrorCode::kScopeDeadlock, Reason::kRingSlots, 5, 3);
}

}  // namespace
}  // namespace taskmill::test
