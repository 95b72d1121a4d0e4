// What the builder promises, one small graph at a time.
#include "graph/builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

using wire::Reason;

TensorSpec bytes_spec(uint32_t bytes) { return TensorSpec(&bytes, 1, DataType::kUint8); }

int32_t number(ErrorCode code) { return static_cast<int32_t>(code); }

// ---- order

TEST(Builder, a_task_without_producers_is_ready_at_once) {
  ToyRun run({}, {64});
  EXPECT_EQ(run.submit(TaskArgs().add_input(run.entry(0))).task_id, 0u);
  EXPECT_EQ(run.chip.ready_count(), 1u);
  EXPECT_EQ(run.builder.submitted(), 1u);
}

TEST(Builder, reader_after_writer_writer_after_reader_and_writer_after_writer_are_linked) {
  ToyRun run({}, {64});
  Edges edges(run.chip);
  run.submit(TaskArgs().add_output(run.entry(0)));
  run.submit(TaskArgs().add_input(run.entry(0)));
  run.submit(TaskArgs().add_output(run.entry(0)));
  run.submit(TaskArgs().add_output(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 1u);
  run.chip.run_all();
  EXPECT_EQ(edges.all, (std::set<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(Builder, readers_of_the_same_bytes_do_not_wait_for_each_other) {
  ToyRun run({}, {64});
  for (int i = 0; i < 20; ++i) run.submit(TaskArgs().add_input(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 20u);
  run.submit(TaskArgs().add_output(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 20u);
  run.chip.run_all();
  EXPECT_EQ(run.chip.order.back(), 20u);
}

TEST(Builder, whole_reads_need_no_access_records_while_few_readers_are_alive) {
  ToyRun run({.window = 4}, {64});
  for (uint32_t i = 0; i < 100; ++i) {
    run.submit(TaskArgs().add_input(run.entry(0)));
    EXPECT_EQ(run.chip.region.records[i % 4].access_count, 0) << "task " << i;
  }
}

TEST(Builder, writers_of_disjoint_rows_run_side_by_side_and_neighbours_of_one_byte_overlap_do_not) {
  ToyRun run({}, {64});
  const Tensor whole = run.entry(0);
  run.submit(TaskArgs().add_output(whole.rows(0, 16)));
  run.submit(TaskArgs().add_output(whole.rows(16, 16)));
  EXPECT_EQ(run.chip.ready_count(), 2u);
  run.submit(TaskArgs().add_output(whole.rows(31, 2)));
  EXPECT_EQ(run.chip.ready_count(), 2u);
}

TEST(Builder, a_task_that_names_one_buffer_several_times_never_waits_for_itself) {
  ToyRun run({}, {64});
  const Tensor whole = run.entry(0);
  run.submit(TaskArgs().add_input(whole, whole.rows(0, 8)).add_inout(whole).add_output(whole.rows(4, 8)));
  EXPECT_EQ(run.chip.ready_count(), 1u);
  run.submit(TaskArgs().add_inout(whole.rows(60, 4)).add_input(whole.rows(60, 4)));
  run.chip.run_all();
  EXPECT_EQ(run.chip.order, (std::vector<uint32_t>{0, 1}));
}

TEST(Builder, two_entry_tensors_over_one_buffer_are_one_root) {
  ToyMemory memory(256, kBufferAlignment);
  const wire::EntryTensor bytes = {row_major(memory.base(), {256}, DataType::kUint8), 256, 0, {}};
  const wire::EntryTensor words = {row_major(memory.base(), {8, 8}, DataType::kFloat32), 256, 0, {}};
  ToyChip chip(ToySizes(), {bytes, words}, 1);
  graph::Builder<ToyChip> builder;
  builder.init(chip.region, chip, chip.launch);
  Edges edges(chip);
  SubmitResult result;
  builder.submit(TaskArgs().add_output(builder.entry_tensor(0)).spec(0, CoreType::kAic), result);
  builder.submit(TaskArgs().add_input(builder.entry_tensor(1).rows(2)).spec(0, CoreType::kAic), result);
  builder.submit(TaskArgs().add_output(builder.entry_tensor(1)).spec(0, CoreType::kAic), result);
  chip.run_all();
  EXPECT_EQ(edges.all, (std::set<std::pair<uint32_t, uint32_t>>{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(Builder, a_column_view_is_ordered_by_the_bytes_that_bound_it) {
  ToyMemory memory(64, kBufferAlignment);
  const wire::EntryTensor square = {row_major(memory.base(), {8, 8}, DataType::kUint8), 64, 0, {}};
  ToyChip chip(ToySizes(), {square}, 1);
  graph::Builder<ToyChip> builder;
  builder.init(chip.region, chip, chip.launch);
  const Tensor& tensor = builder.entry_tensor(0);
  const uint32_t column[] = {8, 1}, first[] = {0, 0};
  SubmitResult result;
  builder.submit(TaskArgs().add_output(tensor.rows(3)).spec(0, CoreType::kAiv), result);
  builder.submit(TaskArgs().add_output(tensor.view(column, first)).spec(0, CoreType::kAiv), result);
  EXPECT_EQ(chip.ready_count(), 1u);
  // The column does not hide the row: a reader of the row waits for both.
  builder.submit(TaskArgs().add_input(tensor.rows(3)).spec(0, CoreType::kAiv), result);
  Edges edges(chip);
  chip.run_all();
  EXPECT_EQ(edges.all, (std::set<std::pair<uint32_t, uint32_t>>{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(Builder, a_completed_producer_gives_no_edge) {
  ToyRun run({}, {64});
  Edges edges(run.chip);
  run.submit(TaskArgs().add_output(run.entry(0)));
  run.chip.run_all();
  run.submit(TaskArgs().add_input(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 1u);
  run.chip.run_all();
  EXPECT_TRUE(edges.all.empty());
}

TEST(Builder, an_empty_view_is_legal_wherever_it_lies_and_orders_nothing) {
  ToyRun run({}, {64});
  const uint32_t none[] = {0}, far[] = {1000};
  run.submit(TaskArgs().add_output(run.entry(0)));
  run.submit(TaskArgs().add_inout(run.entry(0).view(none, far)));
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_EQ(run.chip.ready_count(), 2u);
}

TEST(Builder, one_argument_may_have_hundreds_of_producers) {
  ToyRun run({.window = 1024, .argument_lines = 8192, .edge_nodes = 512}, {4096});
  Edges edges(run.chip);
  for (uint32_t i = 0; i < 400; ++i) run.submit(TaskArgs().add_output(run.entry(0).rows(i * 8, 8)));
  run.submit(TaskArgs().add_input(run.entry(0)));
  EXPECT_EQ(run.builder.use(0).edge_nodes.peak, 400u - graph::kInlineEdges);
  run.chip.run_all();
  EXPECT_EQ(edges.all.size(), 400u);
  EXPECT_EQ(run.chip.order.back(), 400u);
}

TEST(Builder, a_submit_that_is_short_of_edges_waits_for_some_to_come_back) {
  ToyRun run({.window = 1024, .argument_lines = 8192, .edge_nodes = 4}, {4096});
  for (uint32_t i = 0; i < 400; ++i) run.submit(TaskArgs().add_output(run.entry(0).rows(i * 8, 8)));
  run.submit(TaskArgs().add_input(run.entry(0)));
  EXPECT_GT(run.chip.blocked, 0u);
  EXPECT_EQ(run.builder.use(0).edge_nodes.peak, 4u);
  run.chip.run_all();
  EXPECT_EQ(run.chip.order.size(), 401u);
  EXPECT_EQ(run.chip.order.back(), 400u);
}

TEST(Builder, a_run_abandoned_while_edges_are_short_never_starts_the_task) {
  ToyRun run({.window = 64, .edge_nodes = 4}, {4096});
  for (uint32_t i = 0; i < 40; ++i) run.submit(TaskArgs().add_output(run.entry(0).rows(i * 8, 8)));
  run.chip.abandon_when_blocked = true;
  EXPECT_EQ(run.submit(TaskArgs().add_input(run.entry(0))).task_id, kNoTask);
  EXPECT_EQ(run.builder.submitted(), 40u);
  run.chip.run_all();
  EXPECT_EQ(run.chip.order.size(), 40u);
}

// ---- what a task carries

TEST(Builder, a_whole_root_names_the_roots_descriptor_and_a_view_carries_its_own) {
  ToyRun run({}, {64});
  run.submit(TaskArgs().add_input(run.entry(0), run.entry(0).rows(8, 4)).add_output(bytes_spec(32)).add_scalar(uint64_t{11}, 2.5f), 1);
  const graph::TaskSlot& slot = run.chip.region.slots[0];
  const graph::TaskDescription& task = slot.description();
  EXPECT_EQ(task.kernel_id, 1);
  EXPECT_EQ(task.core_type, CoreType::kAiv);
  EXPECT_EQ(task.tensor_count, 3);
  EXPECT_EQ(task.scalar_count, 2);
  EXPECT_EQ(task.descriptor_lines, 2);
  EXPECT_EQ(task.arguments_bytes(), 64u * 3);
  const wire::TensorSlot* tensors = run.chip.region.tensor_slots(0);
  EXPECT_EQ(tensors[0].line(), 1u);
  EXPECT_EQ(tensors[1].line(), task.argument_line + 1);
  EXPECT_EQ(tensors[2].line(), task.argument_line + 2);
  EXPECT_FALSE(tensors[0].written());
  EXPECT_FALSE(tensors[1].written());
  EXPECT_TRUE(tensors[2].written());
  const auto* view = run.chip.region.line_as<TensorDescriptor>(tensors[1].line());
  EXPECT_EQ(view->start_offset, 8u);
  EXPECT_EQ(view->shapes[0], 4u);
  const auto* scalars = reinterpret_cast<const uint64_t*>(tensors + 3);
  EXPECT_EQ(scalars[0], 11u);
  float second = 0;
  std::memcpy(&second, &scalars[1], sizeof second);
  EXPECT_EQ(second, 2.5f);
}

TEST(Builder, an_output_is_a_contiguous_aligned_buffer_in_the_heap) {
  ToyRun run({}, {});
  const uint32_t shape[] = {3, 5, 7};
  const SubmitResult made = run.submit(TaskArgs().add_output(TensorSpec(shape, 3, DataType::kBfloat16), bytes_spec(1025)));
  ASSERT_EQ(made.output_count, 2u);
  const Tensor& first = made.outputs[0];
  EXPECT_EQ(first.buffer.addr % kBufferAlignment, 0u);
  EXPECT_TRUE(run.chip.in_heap(first.buffer.addr, first.buffer_bytes));
  EXPECT_EQ(first.nbytes(), 210u);
  EXPECT_EQ(first.buffer_bytes, 210u);
  EXPECT_TRUE(first.is_contiguous);
  EXPECT_TRUE(first.strides_are_row_major());
  EXPECT_EQ(first.owner_task, 0u);
  EXPECT_EQ(made.outputs[1].buffer.addr, first.buffer.addr + 1024);
  EXPECT_EQ(run.builder.use(0).heap_bytes.peak, 3 * 1024u);
  EXPECT_TRUE(run.chip.publish_in_region);
  EXPECT_EQ(run.chip.published, 2u);  // entry roots, these descriptors
}

TEST(Builder, a_buffer_of_zero_bytes_is_legal_and_takes_no_heap) {
  ToyRun run({.heap_bytes = 0}, {});
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(0)));
  ASSERT_FALSE(run.builder.fatal());
  EXPECT_EQ(made.outputs[0].numel(), 0u);
  run.submit(TaskArgs().add_inout(made.outputs[0]));
  EXPECT_EQ(run.chip.ready_count(), 2u);
  EXPECT_EQ(run.builder.use(0).heap_bytes.peak, 0u);
}

// ---- lifetime

TEST(Builder, a_buffer_lives_until_its_scope_has_ended_and_its_last_reader_is_done) {
  ToyRun run({.window = 4, .heap_bytes = 4096}, {64});
  run.builder.scope_begin("file.cpp", 1);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(4096)));
  run.submit(TaskArgs().add_input(made.outputs[0]).add_output(run.entry(0)));
  run.builder.scope_end();
  bool reader_ran = false;
  run.chip.on_run = [&](uint32_t slot) { reader_ran |= run.chip.region.slots[slot].description().task == 1; };
  run.builder.scope_begin("file.cpp", 2);
  const SubmitResult next = run.submit(TaskArgs().add_output(bytes_spec(4096)));  // the heap holds one: waits
  EXPECT_TRUE(reader_ran);
  EXPECT_EQ(next.outputs[0].buffer.addr, made.outputs[0].buffer.addr);
}

TEST(Builder, a_task_without_buffers_retires_whatever_its_scope) {
  ToyRun run({.window = 4}, {64});
  run.builder.scope_begin("file.cpp", 1);
  for (int i = 0; i < 100; ++i) run.submit(TaskArgs().add_inout(run.entry(0)));
  EXPECT_FALSE(run.builder.fatal());
  run.chip.run_all();
  EXPECT_EQ(run.chip.order.size(), 100u);
  EXPECT_EQ(run.builder.use(1).tasks.peak, 3u);
}

TEST(Builder, ending_a_scope_is_not_a_barrier) {
  ToyRun run({}, {64});
  run.builder.scope_begin("file.cpp", 1);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(64)));
  run.submit(TaskArgs().add_input(made.outputs[0]));
  run.builder.scope_end();
  EXPECT_TRUE(run.chip.order.empty());
  EXPECT_EQ(run.chip.blocked, 0u);
}

// ---- mistakes

struct Mistake {
  ToyRun run{{.heap_bytes = 8192}, {64, 64}};
  void expect(ErrorCode code, Reason reason, int32_t argument, uint64_t needed = 0, uint64_t available = 0) {
    const wire::RunError& error = run.chip.error;
    EXPECT_TRUE(run.builder.fatal());
    EXPECT_EQ(error.code, number(code));
    EXPECT_EQ(error.reason, reason);
    EXPECT_EQ(error.argument, argument);
    EXPECT_EQ(error.needed, needed);
    EXPECT_EQ(error.available, available);
    EXPECT_EQ(run.builder.submitted(), 0u);
    EXPECT_EQ(run.builder.refused(), 1u);
  }
};

TEST(BuilderMistakes, too_many_tensors) {
  Mistake m;
  TaskArgs args;
  for (int i = 0; i < 33; ++i) args.add_input(m.run.entry(0));
  m.run.submit(args);
  m.expect(ErrorCode::kInvalidArgs, Reason::kTooManyTensors, -1, 33, 32);
}

TEST(BuilderMistakes, too_many_scalars) {
  Mistake m;
  TaskArgs args;
  for (int i = 0; i < 17; ++i) args.add_scalar(i);
  m.run.submit(args);
  m.expect(ErrorCode::kInvalidArgs, Reason::kTooManyScalars, -1, 17, 16);
}

TEST(BuilderMistakes, a_tensor_after_a_scalar) {
  Mistake m;
  m.run.submit(TaskArgs().add_scalar(1).add_input(m.run.entry(0)));
  m.expect(ErrorCode::kInvalidArgs, Reason::kTensorAfterScalar, -1);
}

TEST(BuilderMistakes, a_tensor_of_another_run) {
  Mistake m;
  Tensor tensor = m.run.entry(1);
  tensor.run_serial += 1;
  m.run.submit(TaskArgs().add_input(m.run.entry(0), tensor));
  m.expect(ErrorCode::kInvalidArgs, Reason::kForeignTensor, 1);
}

TEST(BuilderMistakes, a_tensor_of_no_run) {
  Mistake m;
  m.run.submit(TaskArgs().add_input(m.run.entry(0), Tensor{}));
  m.expect(ErrorCode::kInvalidArgs, Reason::kBadShape, 1);
}

TEST(BuilderMistakes, a_tensor_moved_by_hand_out_of_its_buffer) {
  Mistake m;
  Tensor tensor = m.run.entry(1);
  tensor.buffer.addr += 1;
  m.run.submit(TaskArgs().add_input(m.run.entry(0), tensor));
  m.expect(ErrorCode::kInvalidArgs, Reason::kOutsideBuffer, 1, 65, 64);
}

TEST(BuilderMistakes, a_tensor_whose_scope_has_ended) {
  ToyRun run({}, {64});
  run.builder.scope_begin("a.cpp", 3);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(8)));
  run.builder.scope_end();
  run.builder.scope_begin("b.cpp", 9);  // same depth, another scope
  run.submit(TaskArgs().add_input(run.entry(0), made.outputs[0]));
  EXPECT_EQ(run.chip.error.code, number(ErrorCode::kInvalidArgs));
  EXPECT_EQ(run.chip.error.reason, Reason::kScopeEnded);
  EXPECT_EQ(run.chip.error.argument, 1);
  EXPECT_EQ(run.chip.error.task, 1u);
  EXPECT_STREQ(run.chip.error.file, "b.cpp");
  EXPECT_EQ(run.chip.error.line, 9u);
}

TEST(BuilderMistakes, a_view_that_leaves_its_parent) {
  Mistake m;
  m.run.submit(TaskArgs().add_input(m.run.entry(0).rows(60, 5)));
  m.expect(ErrorCode::kInvalidArgs, Reason::kBadView, 0);
}

TEST(BuilderMistakes, a_reshape_to_another_number_of_elements) {
  Mistake m;
  const uint32_t shape[] = {8, 9};
  m.run.submit(TaskArgs().add_input(m.run.entry(0).reshape(shape, 2)));
  m.expect(ErrorCode::kInvalidArgs, Reason::kBadView, 0);
}

TEST(BuilderMistakes, a_tensor_made_by_hand_that_leaves_its_buffer) {
  Mistake m;
  Tensor tensor = m.run.entry(0);
  tensor.start_offset = 60;
  tensor.shapes[0] = 8;
  m.run.submit(TaskArgs().add_output(tensor));
  m.expect(ErrorCode::kInvalidArgs, Reason::kOutsideBuffer, 0, 68, 64);
}

TEST(BuilderMistakes, a_tensor_made_by_hand_that_reaches_beyond_all_addresses) {
  Mistake m;
  Tensor tensor = m.run.entry(0);
  tensor.start_offset = ~uint64_t{0};
  m.run.submit(TaskArgs().add_output(tensor));
  m.expect(ErrorCode::kInvalidArgs, Reason::kOutsideBuffer, 0, ~uint64_t{0}, 64);
}

TEST(BuilderMistakes, a_rank_outside_1_to_5) {
  for (const uint32_t rank : {0u, 6u}) {
    Mistake existing;
    Tensor tensor = existing.run.entry(0);
    tensor.ndims = static_cast<uint8_t>(rank);
    existing.run.submit(TaskArgs().add_input(tensor));
    existing.expect(ErrorCode::kInvalidArgs, Reason::kBadShape, 0, rank);
    Mistake made;
    const uint32_t shape[6] = {1, 1, 1, 1, 1, 1};
    made.run.submit(TaskArgs().add_input(made.run.entry(0)).add_output(TensorSpec(shape, rank)));
    made.expect(ErrorCode::kInvalidArgs, Reason::kBadShape, 1, rank);
  }
}

TEST(BuilderMistakes, a_data_type_that_does_not_exist) {
  Mistake m;
  const uint32_t shape[] = {1};
  m.run.submit(TaskArgs().add_output(TensorSpec(shape, 1, static_cast<DataType>(99))));
  m.expect(ErrorCode::kInvalidArgs, Reason::kBadDataType, 0, 99, kDataTypeCount);
}

TEST(BuilderMistakes, an_output_larger_than_the_heap) {
  Mistake m;
  m.run.submit(TaskArgs().add_input(m.run.entry(0)).add_output(bytes_spec(8193)));
  m.expect(ErrorCode::kHeapRingDeadlock, Reason::kOutputTooLarge, 1, 8193, 8192);
}

TEST(BuilderMistakes, an_output_of_more_bytes_than_a_number_can_say) {
  Mistake m;
  const uint32_t shape[] = {~0u, ~0u, ~0u};
  m.run.submit(TaskArgs().add_output(TensorSpec(shape, 3)));
  m.expect(ErrorCode::kHeapRingDeadlock, Reason::kOutputTooLarge, 0, ~uint64_t{0}, 8192);
}

TEST(BuilderMistakes, a_kernel_id_that_the_callable_does_not_have) {
  for (const int32_t id : {-1, 3, 4, 1 << 20}) {
    Mistake m;
    m.run.submit(TaskArgs().add_input(m.run.entry(0)), id);
    m.expect(ErrorCode::kUnknownKernel, Reason::kUnknownKernelId, -1, 0, ToyChip::kKernels);
    EXPECT_EQ(m.run.chip.error.kernel_id, id);
  }
}

TEST(BuilderMistakes, scopes_nested_too_deep_and_ended_once_too_often) {
  ToyRun deep({}, {64});
  for (uint32_t i = 0; i < 63; ++i) deep.builder.scope_begin("deep.cpp", i);
  EXPECT_FALSE(deep.builder.fatal());
  deep.builder.scope_begin("deep.cpp", 63);
  EXPECT_EQ(deep.chip.error.reason, Reason::kScopeDepth);
  EXPECT_EQ(deep.chip.error.needed, 65u);
  EXPECT_EQ(deep.chip.error.available, 64u);
  for (uint32_t i = 0; i < 64; ++i) deep.builder.scope_end();
  deep.builder.finish();

  ToyRun extra({}, {64});
  extra.builder.scope_begin("extra.cpp", 1);
  extra.builder.scope_end();
  EXPECT_FALSE(extra.builder.fatal());
  extra.builder.scope_end();
  EXPECT_EQ(extra.chip.error.reason, Reason::kScopeUnderflow);
}

TEST(BuilderMistakes, submits_after_a_fatal_error_are_counted_and_give_empty_tensors) {
  Mistake m;
  m.run.submit(TaskArgs().add_input(Tensor{}));
  for (int i = 0; i < 5; ++i) {
    const SubmitResult result = m.run.submit(TaskArgs().add_output(bytes_spec(8)));
    EXPECT_EQ(result.task_id, kNoTask);
    ASSERT_EQ(result.output_count, 1u);
    EXPECT_EQ(result.outputs[0].ndims, 0);
    m.run.submit(TaskArgs().add_input(result.outputs[0].rows(0, 1)));
  }
  EXPECT_EQ(m.run.builder.refused(), 11u);
  EXPECT_EQ(m.run.builder.submitted(), 0u);
  EXPECT_EQ(m.run.chip.ready_count(), 0u);
}

TEST(BuilderMistakes, an_error_of_the_orchestrations_own_names_the_innermost_scope) {
  ToyRun run({}, {64});
  run.builder.scope_begin("outer.cpp", 1);
  const std::string path = "/" + std::string(200, 'x') + "/inner.cpp";
  run.builder.scope_begin(path.c_str(), 2);
  wire::RunError own = {};
  own.code = number(ErrorCode::kExplicitOrchFatal);
  own.reason = Reason::kReported;
  run.builder.fail(own);
  EXPECT_EQ(run.chip.error.line, 2u);
  const std::string file = run.chip.error.file;
  EXPECT_EQ(file.size(), 127u);
  EXPECT_EQ(file.substr(file.size() - 10), "/inner.cpp");
}

}  // namespace
}  // namespace taskmill::test
