// What an orchestration says itself: dependencies by id, MANUAL scopes, arguments that order nothing, tensors by address,
// allocations, elements; and the rules of a callable.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

using wire::Reason;

constexpr graph::HazardRules kEcosystem = graph::HazardRules::of(DependencyRules::kEcosystem);

TensorSpec bytes_spec(uint32_t bytes) { return TensorSpec(&bytes, 1, DataType::kUint8); }

struct Chip : ToyRun {
  explicit Chip(const ToySizes& sizes = {}, const graph::HazardRules& rules = {}) : ToyRun(sizes, {64, 64}, 1, rules) {}

  SubmitResult submit_kind(TaskKind kind, const TaskArgs& args) {
    SubmitResult result;
    builder.submit(args.spec(0, CoreType::kAiv, kind), result);
    return result;
  }
  SubmitResult allocate(const TensorSpec& spec) { return submit_kind(TaskKind::kAllocation, TaskArgs().add_output(spec)); }
  // Is the newest task held back?
  bool waits() const { return chip.ready_count() < builder.submitted() - chip.order.size(); }
  void expect_refused(Reason reason, int32_t argument, uint64_t needed, uint64_t available) {
    EXPECT_EQ(chip.error.code, static_cast<int32_t>(ErrorCode::kInvalidArgs));
    EXPECT_EQ(chip.error.reason, reason);
    EXPECT_EQ(chip.error.argument, argument);
    EXPECT_EQ(chip.error.needed, needed);
    EXPECT_EQ(chip.error.available, available);
  }
};

// ---- dependencies

TEST(Dependencies, a_task_follows_those_it_names_whatever_its_tensors) {
  Chip run;
  const uint64_t first = run.submit(TaskArgs().add_input(run.entry(0))).task_id;
  run.submit(TaskArgs().add_input(run.entry(1)).set_dependencies(&first, 1));
  EXPECT_EQ(run.chip.ready_count(), 1u);
  run.chip.run_all();
  EXPECT_EQ(run.chip.order, (std::vector<uint32_t>{0, 1}));
}

TEST(Dependencies, ids_never_expire_and_a_retired_one_orders_nothing) {
  Chip run({.window = 4});
  const uint64_t first = run.submit(TaskArgs().add_inout(run.entry(0))).task_id;
  for (int i = 0; i < 100; ++i) run.submit(TaskArgs().add_inout(run.entry(0)));
  run.chip.run_all();
  run.submit(TaskArgs().set_dependencies(&first, 1));
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_FALSE(run.waits());
}

TEST(Dependencies, an_id_that_was_not_given_out_is_refused_by_name) {
  for (const uint64_t id : {uint64_t{1}, uint64_t{7}, uint64_t{1} << 32, uint64_t{9} << 32, kNoTask}) {
    Chip run;
    run.submit(TaskArgs().add_inout(run.entry(0)));
    const uint64_t ids[] = {0, id};
    run.submit(TaskArgs().set_dependencies(ids, 2));
    run.expect_refused(Reason::kUnknownTask, 1, id, 0);
    EXPECT_EQ(run.builder.submitted(), 1u);
  }
}

TEST(Dependencies, more_than_can_be_counted_are_refused) {
  Chip run;
  const std::vector<uint64_t> ids(70'000);
  run.submit(TaskArgs().set_dependencies(ids.data(), 70'000));
  run.expect_refused(Reason::kTooManyDependencies, -1, 70'000, 65'535);
}

TEST(Dependencies, keep_the_buffers_of_the_tasks_they_name) {
  Chip run({.window = 8, .heap_bytes = 1024});
  run.builder.scope_begin("kept.cpp", 1);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(1024)));
  run.submit(TaskArgs().add_input(run.entry(0)).set_dependencies(&made.task_id, 1));
  run.builder.scope_end();
  while (run.chip.order.size() < 1) run.chip.run_one();
  ASSERT_EQ(run.chip.order[0], 0u);
  run.builder.scope_begin("next.cpp", 2);
  run.submit(TaskArgs().add_output(bytes_spec(1024)));  // the heap holds one
  EXPECT_EQ(run.chip.order.size(), 2u) << "the dependent ran before the buffer went";
  EXPECT_FALSE(run.builder.fatal());
}

TEST(Dependencies, a_task_without_a_kernel_orders_others_and_completes_by_itself) {
  Chip run;
  const uint64_t writers[] = {run.submit(TaskArgs().add_inout(run.entry(0))).task_id,
                              run.submit(TaskArgs().add_inout(run.entry(1))).task_id};
  const uint64_t barrier = run.submit_kind(TaskKind::kOrderOnly, TaskArgs().set_dependencies(writers, 2)).task_id;
  run.submit(TaskArgs().set_dependencies(&barrier, 1));
  EXPECT_EQ(run.chip.ready_count(), 2u);
  run.chip.run_all();
  EXPECT_EQ(run.chip.order[2], 2u);
  EXPECT_EQ(run.chip.order[3], 3u);
}

// ---- MANUAL scopes and arguments without dependency

TEST(Manual, tasks_follow_their_dependencies_only_and_later_auto_tasks_follow_them) {
  Chip run;
  run.submit(TaskArgs().add_inout(run.entry(0)));
  run.builder.scope_begin("manual.cpp", 1, ScopeMode::kManual);
  run.submit(TaskArgs().add_inout(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 2u);
  const uint64_t second = 1ull << 32;
  run.submit(TaskArgs().add_inout(run.entry(0)).set_dependencies(&second, 1));
  EXPECT_EQ(run.chip.ready_count(), 2u);
  run.builder.scope_end();
  run.submit(TaskArgs().add_input(run.entry(0)));
  run.chip.run_all();
  EXPECT_EQ(run.chip.order.back(), 3u);
}

TEST(Manual, a_write_that_nobody_ordered_does_not_hide_the_one_before_it) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ToyRun run({}, {64}, seed);
    run.submit(TaskArgs().add_output(run.entry(0)));
    run.builder.scope_begin("manual.cpp", 1, ScopeMode::kManual);
    run.submit(TaskArgs().add_output(run.entry(0)));
    run.builder.scope_end();
    run.submit(TaskArgs().add_input(run.entry(0)));
    run.chip.run_all();
    EXPECT_EQ(run.chip.order.back(), 2u);
  }
}

TEST(Manual, holds_manual_scopes_but_no_auto_ones) {
  Chip run;
  run.builder.scope_begin("manual.cpp", 1, ScopeMode::kManual);
  run.builder.scope_begin("manual.cpp", 2, ScopeMode::kManual);
  EXPECT_FALSE(run.builder.fatal());
  run.builder.scope_begin("auto.cpp", 3, ScopeMode::kAuto);
  run.expect_refused(Reason::kAutoInManual, -1, 0, 0);
  EXPECT_STREQ(run.chip.error.file, "auto.cpp");
}

TEST(Manual, pins_what_it_names_all_the_same) {
  Chip run({.window = 8, .heap_bytes = 1024});
  run.builder.scope_begin("manual.cpp", 1, ScopeMode::kManual);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(1024)));
  run.submit(TaskArgs().add_input(made.outputs[0]).set_dependencies(&made.task_id, 1));
  run.builder.scope_end();
  run.builder.scope_begin("next.cpp", 2);
  run.submit(TaskArgs().add_output(bytes_spec(1024)));
  EXPECT_EQ(run.chip.order.size(), 2u);
}

TEST(NoDependency, follows_the_maker_of_the_buffer_and_nobody_else) {
  Chip run;
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(64)));
  run.submit(TaskArgs().add_no_dependency(made.outputs[0]));
  EXPECT_EQ(run.chip.ready_count(), 1u) << "behind the maker";
  run.submit(TaskArgs().add_inout(run.entry(0)));
  run.submit(TaskArgs().add_no_dependency(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 3u) << "an entry argument has no maker";
  run.submit(TaskArgs().add_input(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 3u);
  while (run.waits()) run.chip.run_one();
  const auto ran = [&](uint32_t task) { return std::count(run.chip.order.begin(), run.chip.order.end(), task) == 1; };
  EXPECT_TRUE(ran(2) && ran(3)) << "later tasks follow it";
}

// ---- tensors by address

TEST(ByAddress, the_root_is_found_among_arguments_and_buffers) {
  Chip run;
  const uint32_t shape[] = {16};
  const auto at = [&](uint64_t address) { return make_tensor(address, shape, 1, DataType::kUint8); };
  std::vector<SubmitResult> made;
  for (int i = 0; i < 5; ++i) made.push_back(run.submit(TaskArgs().add_output(bytes_spec(3000), bytes_spec(64))));
  run.submit(TaskArgs().add_output(run.entry(1)));
  EXPECT_EQ(run.chip.ready_count(), 6u);
  for (const uint64_t address : {made[0].outputs[0].buffer.addr + 2000, made[2].outputs[1].buffer.addr, made[4].outputs[1].buffer.addr + 48,
                                 run.entry(1).buffer.addr + 10}) {
    run.submit(TaskArgs().add_input(at(address)));
    EXPECT_EQ(run.chip.ready_count(), 6u);
  }
  run.submit(TaskArgs().add_input(at(run.entry(0).buffer.addr)));
  EXPECT_EQ(run.chip.ready_count(), 7u) << "nobody has written that one";
  EXPECT_FALSE(run.builder.fatal());
}

TEST(ByAddress, buffers_are_found_after_the_heap_has_wrapped_many_times) {
  Chip run({.window = 16, .heap_bytes = 8192});
  for (uint32_t i = 0; i < 200; ++i) {
    run.builder.scope_begin("loop.cpp", 1);
    const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(1 + i * 37 % 3000), bytes_spec(1 + i % 100)));
    for (const Tensor& buffer : {made.outputs[0], made.outputs[1]}) {
      const uint32_t bytes = buffer.shapes[0];
      run.submit(TaskArgs().add_inout(make_tensor(buffer.buffer.addr, &bytes, 1, DataType::kUint8)));
      ASSERT_FALSE(run.builder.fatal()) << i;
    }
    run.builder.scope_end();
    run.chip.run_some(2);
  }
  run.chip.run_all();
  EXPECT_EQ(run.chip.order.size(), 600u);
}

TEST(ByAddress, an_address_of_no_buffer_is_refused) {
  Chip run;
  const uint32_t shape[] = {4};
  run.submit(TaskArgs().add_input(run.entry(0), make_tensor(4096, shape, 1)));
  run.expect_refused(Reason::kUnknownAddress, 1, 4096, 0);
}

TEST(ByAddress, a_buffer_whose_scope_has_ended_is_refused) {
  Chip run;
  run.builder.scope_begin("gone.cpp", 1);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(64)));
  run.builder.scope_end();
  const uint32_t shape[] = {64};
  run.submit(TaskArgs().add_input(make_tensor(made.outputs[0].buffer.addr, shape, 1, DataType::kUint8)));
  run.expect_refused(Reason::kScopeEnded, 0, 0, 0);
}

TEST(ByAddress, a_tensor_over_two_buffers_is_refused_with_both_named) {
  Chip run;
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(1024), bytes_spec(1024)));
  const uint32_t shape[] = {1025};
  run.submit(TaskArgs().add_input(make_tensor(made.outputs[0].buffer.addr, shape, 1, DataType::kUint8)));
  run.expect_refused(Reason::kBridgesRoots, 0, uint64_t{1} << 32, uint64_t{1} << 32);
}

TEST(ByAddress, a_tensor_beyond_the_end_of_its_buffer_is_refused) {
  Chip run;
  const uint32_t shape[] = {65};
  run.submit(TaskArgs().add_input(make_tensor(run.entry(0).buffer.addr, shape, 1, DataType::kUint8)));
  run.expect_refused(Reason::kOutsideBuffer, 0, 65, 64);
}

// ---- allocations and elements

TEST(Allocation, is_complete_at_once_and_its_buffers_live_in_their_scope) {
  Chip run;
  const SubmitResult made = run.allocate(bytes_spec(64));
  EXPECT_EQ(run.builder.submitted(), 0u);
  run.submit(TaskArgs().add_inout(made.outputs[0]).set_dependencies(&made.task_id, 1));
  EXPECT_FALSE(run.waits());
  run.submit(TaskArgs().add_input(made.outputs[0]));
  EXPECT_TRUE(run.waits());
}

TEST(Allocation, a_buffer_begins_as_its_initial_value_up_to_its_rounded_size) {
  Chip run;
  const uint32_t shape[] = {300};
  TensorSpec halves(shape, 1, DataType::kInt16), wide(shape, 1, DataType::kInt64);
  halves.set_initial_value(uint16_t{0xABCD});
  wide.set_initial_value(int64_t{-2});
  const SubmitResult made = run.submit(TaskArgs().add_output(halves, wide));
  const auto* words = reinterpret_cast<const uint16_t*>(made.outputs[0].buffer.addr);
  EXPECT_EQ(std::count(words, words + 512, 0xABCD), 512);
  const auto* numbers = reinterpret_cast<const int64_t*>(made.outputs[1].buffer.addr);
  EXPECT_EQ(std::count(numbers, numbers + 384, -2), 384);
}

TEST(Allocation, of_nothing_or_with_anything_else_is_refused) {
  for (int kind = 0; kind < 3; ++kind) {
    Chip run;
    TaskArgs args;
    const TensorSpec spec = bytes_spec(8);
    if (kind == 1) args.add_output(spec).add_scalar(1);
    if (kind == 2) args.add_output(spec).add_input(run.entry(0));
    run.submit_kind(TaskKind::kAllocation, args);
    run.expect_refused(Reason::kNothingToAllocate, -1, 0, 0);
  }
}

TEST(Elements, reading_waits_for_the_writers_of_the_element_and_no_others) {
  Chip run;
  auto* bytes = reinterpret_cast<uint8_t*>(run.entry(0).buffer.addr);
  run.submit(TaskArgs().add_inout(run.entry(1)));
  run.submit(TaskArgs().add_output(run.entry(0).rows(8, 4)));
  run.submit(TaskArgs().add_output(run.entry(0).rows(12, 4)));
  run.chip.on_run = [&](uint32_t slot) { bytes[8 + 4 * slot] = static_cast<uint8_t>(100 + slot); };
  const uint32_t index[] = {12};
  EXPECT_EQ(run.builder.read_element(run.entry(0), 1, index), 101u);
  const uint32_t other[] = {40};
  bytes[40] = 7;
  const size_t ran = run.chip.order.size();
  EXPECT_EQ(run.builder.read_element(run.entry(0), 1, other), 7u);
  EXPECT_EQ(run.chip.order.size(), ran);
}

TEST(Elements, writing_waits_for_readers_too) {
  Chip run;
  auto* bytes = reinterpret_cast<uint8_t*>(run.entry(0).buffer.addr);
  run.submit(TaskArgs().add_input(run.entry(0)));
  const uint32_t index[] = {5};
  run.builder.write_element(run.entry(0), 1, index, 0x1FF);
  EXPECT_EQ(run.chip.order.size(), 1u);
  EXPECT_EQ(bytes[5], 0xFF);
  EXPECT_EQ(bytes[6], 0xA5) << "one byte only";
}

TEST(Elements, an_index_outside_is_refused_and_reads_give_0_afterwards) {
  const uint32_t far[] = {64}, two[] = {0, 0};
  Chip outside;
  EXPECT_EQ(outside.builder.read_element(outside.entry(0), 1, far), 0u);
  outside.expect_refused(Reason::kIndexOutside, 0, 64, 64);
  Chip rank;
  rank.builder.write_element(rank.entry(0), 2, two, 1);
  rank.expect_refused(Reason::kBadIndex, -1, 2, 1);
  EXPECT_EQ(rank.builder.read_element(rank.entry(0), 0, nullptr), 0u);
}

// ---- the ecosystem's rules

TEST(EcosystemRules, readers_are_not_followed_and_write_only_arguments_follow_nobody_but_the_maker) {
  Chip run({}, kEcosystem);
  run.submit(TaskArgs().add_input(run.entry(0)));
  run.submit(TaskArgs().add_inout(run.entry(0)));
  run.submit(TaskArgs().add_output(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 3u);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(64)));
  run.submit(TaskArgs().add_output(made.outputs[0]));
  EXPECT_EQ(run.chip.ready_count(), 4u);
}

TEST(EcosystemRules, a_reader_waits_for_every_writer_that_a_write_only_argument_left) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ToyRun run({}, {64}, seed, kEcosystem);
    run.submit(TaskArgs().add_inout(run.entry(0)));
    run.submit(TaskArgs().add_output(run.entry(0)));
    run.submit(TaskArgs().add_input(run.entry(0)));
    run.chip.run_all();
    EXPECT_EQ(run.chip.order.back(), 2u);
  }
}

TEST(EcosystemRules, a_manual_scope_registers_nothing) {
  Chip run({}, kEcosystem);
  run.builder.scope_begin("manual.cpp", 1, ScopeMode::kManual);
  run.submit(TaskArgs().add_inout(run.entry(0)));
  run.builder.scope_end();
  run.submit(TaskArgs().add_input(run.entry(0)));
  EXPECT_EQ(run.chip.ready_count(), 2u);
}

TEST(EcosystemRules, a_tensor_of_a_closed_scope_is_usable_until_the_next_sibling_closes) {
  Chip run({}, kEcosystem);
  run.builder.scope_begin("first.cpp", 1);
  const SubmitResult made = run.submit(TaskArgs().add_output(bytes_spec(64)));
  run.builder.scope_end();
  run.builder.scope_begin("second.cpp", 1);
  run.submit(TaskArgs().add_input(made.outputs[0]));
  EXPECT_FALSE(run.builder.fatal());
  run.builder.scope_end();
  run.submit(TaskArgs().add_input(made.outputs[0]));
  run.expect_refused(Reason::kScopeEnded, 0, 0, 0);
}

TEST(EcosystemRules, lingering_is_given_up_when_nothing_else_makes_room) {
  Chip run({.heap_bytes = 1024}, kEcosystem);
  run.builder.scope_begin("first.cpp", 1);
  run.submit(TaskArgs().add_output(bytes_spec(1024)));
  run.builder.scope_end();
  run.builder.scope_begin("second.cpp", 1);
  run.submit(TaskArgs().add_output(bytes_spec(1024)));
  EXPECT_FALSE(run.builder.fatal());
  run.submit(TaskArgs().add_output(bytes_spec(1024)));
  EXPECT_TRUE(run.builder.fatal()) << "the open scope is not given up";
}

TEST(EcosystemRules, writing_an_element_waits_for_readers_that_no_task_would_follow) {
  Chip run({}, kEcosystem);
  run.submit(TaskArgs().add_inout(run.entry(0)));
  run.submit(TaskArgs().add_input(run.entry(0)));
  const uint32_t index[] = {5};
  run.builder.write_element(run.entry(0), 1, index, 1);
  EXPECT_EQ(run.chip.order.size(), 2u);
}

TEST(EcosystemRules, what_is_enough_counts_scopes_that_linger) {
  wire::GraphSizes sizes = ToyChip::graph_sizes({});
  for (int attempt = 0; attempt < 2; ++attempt) {
    ToyChip chip(sizes, {}, 1);
    graph::Builder<ToyChip> builder;
    builder.init(chip.region, chip, chip.launch, kEcosystem);
    SubmitResult made, result;
    builder.scope_begin("first.cpp", 1);
    builder.submit(TaskArgs().add_output(bytes_spec(1024)).spec(0, CoreType::kAiv), made);
    builder.scope_end();
    builder.scope_begin("second.cpp", 1);
    builder.submit(TaskArgs().add_output(bytes_spec(1024)).spec(0, CoreType::kAiv), result);
    builder.submit(TaskArgs().add_input(made.outputs[0]).spec(0, CoreType::kAiv), result);
    builder.scope_end();
    builder.finish();
    chip.run_all();
    EXPECT_FALSE(chip.fatal()) << attempt;
    EXPECT_EQ(builder.use(1).heap_bytes.enough, 2048u + 0u);
    sizes.rings[1].heap_bytes = builder.use(1).heap_bytes.enough;
  }
}

// ---- room

TEST(Room, enough_lines_do_not_depend_on_how_fast_tasks_ran) {
  const auto play = [](const wire::GraphSizes& sizes, bool at_once) {
    ToyMemory memory(64, kBufferAlignment);
    ToyChip chip(sizes, {{row_major(memory.base(), {64}, DataType::kUint8), 64, 0, {}}}, 1);
    graph::Builder<ToyChip> builder;
    builder.init(chip.region, chip, chip.launch);
    SubmitResult result;
    builder.submit(TaskArgs().add_output(bytes_spec(8)).spec(0, CoreType::kAiv), result);
    for (int i = 0; i < 100; ++i) {
      builder.submit(TaskArgs().add_input(builder.entry_tensor(0)).spec(0, CoreType::kAiv), result);
      if (at_once) chip.run_all();
      builder.submit(TaskArgs().add_inout(builder.entry_tensor(0).rows(1)).spec(0, CoreType::kAiv), result);
      if (at_once) chip.run_all();
    }
    builder.finish();
    chip.run_all();
    EXPECT_FALSE(chip.fatal());
    return builder.use(0);
  };
  wire::GraphSizes sizes = ToyChip::graph_sizes({.window = 1024, .argument_lines = 4096});
  const wire::RingUse fast = play(sizes, true);
  EXPECT_EQ(play(sizes, false).argument_lines.enough, fast.argument_lines.enough);
  sizes.rings[0].argument_lines = static_cast<uint32_t>(fast.argument_lines.enough);
  play(sizes, false);
}

TEST(Room, dependencies_that_can_retire_need_none) {
  Chip run({.window = 512, .argument_lines = 2048, .heap_bytes = 1 << 20});
  run.chip.launch.sizes.rings[1].argument_lines = 16;
  ToyChip chip(run.chip.launch.sizes, {}, 1);
  graph::Builder<ToyChip> builder;
  builder.init(chip.region, chip, chip.launch);
  std::vector<uint64_t> ids;
  SubmitResult result;
  builder.scope_begin("outer.cpp", 1);
  builder.scope_begin("inner.cpp", 2);
  for (int i = 0; i < 270; ++i) {
    builder.submit(TaskArgs().add_output(bytes_spec(8)).spec(0, CoreType::kAiv), result);
    ids.push_back(result.task_id);
  }
  chip.run_all();
  builder.scope_end();
  builder.submit(TaskArgs().set_dependencies(ids.data(), 270).spec(0, CoreType::kAiv), result);
  EXPECT_FALSE(builder.fatal()) << "reason " << static_cast<uint32_t>(chip.error.reason);
}

// ---- what is set by hand

TEST(ByHand, values_that_an_enum_does_not_have_are_refused) {
  for (int kind = 0; kind < 3; ++kind) {
    Chip run;
    TaskArgs args;
    const Tensor tensor = run.entry(0);
    TaskSpec spec = args.add_input(tensor).spec(0, CoreType::kAiv);
    if (kind == 0) spec.tensors[0].mode = static_cast<ArgumentMode>(77);
    if (kind == 1) spec.kind = static_cast<TaskKind>(77);
    if (kind == 2) spec.core_type = static_cast<CoreType>(77);
    SubmitResult result;
    run.builder.submit(spec, result);
    run.expect_refused(Reason::kUnknownValue, kind == 0 ? 0 : -1, 77, 0);
  }
}

TEST(ByHand, a_stride_of_0_names_its_bytes_once) {
  Chip run;
  Tensor column = run.entry(0);
  column.ndims = 2;
  column.shapes[0] = column.shapes[1] = 4;
  column.strides[0] = 0;
  column.strides[1] = 2;
  for (int i = 0; i < 2; ++i) run.submit(TaskArgs().add_inout(column));
  EXPECT_FALSE(run.builder.fatal());
  EXPECT_EQ(run.chip.ready_count(), 1u);
}

TEST(ByHand, an_empty_tensor_by_address_is_legal_wherever_it_lies) {
  Chip run;
  const uint32_t none[] = {0, 3};
  run.submit(TaskArgs().add_inout(make_tensor(run.entry(0).buffer.addr + 64, none, 2), make_tensor(16, none, 2)));
  EXPECT_FALSE(run.builder.fatal());
}

TEST(ByHand, a_tensor_whose_strides_have_no_32_bits_is_refused) {
  const uint32_t quarters[] = {4, 65'536, 65'536}, huge[] = {4096, 1u << 31, 1u << 31};
  for (const uint32_t* shape : {quarters, huge}) {
    Chip run;
    run.submit(TaskArgs().add_input(make_tensor(run.entry(0).buffer.addr, shape, 3, DataType::kUint8)));
    run.expect_refused(Reason::kBadView, 0, 0, 0);
  }
}

}  // namespace
}  // namespace taskmill::test
