// What a task says beside its tensors: dependencies, initial values, addresses; and elements that the orchestration reads and
// writes itself.
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

using ExplicitOrder = BothExecutors;
INSTANTIATE_TEST_SUITE_P(Executors, ExplicitOrder, testing::ValuesIn(both_executors()), setting_name);

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

TEST_P(ExplicitOrder, tasks_of_a_manual_scope_follow_each_other_by_their_ids) {
  const CallableId id = add(callable("manual_chain", {argument("x", Direction::kInout)}, 1, {kernel(0, "add"), kernel(1, "add_scalar")}));
  std::vector<float> x(8, 0.0f);
  const RunReport report = must_run(id, {host_tensor(x), uint64_t{15}});
  EXPECT_EQ(x, std::vector<float>(8, 2.0f * ((1 << 15) - 1)));
  EXPECT_EQ(report.tasks, 31u);
}

TEST_P(ExplicitOrder, a_task_that_runs_nothing_stands_between_two_halves_of_a_graph) {
  std::vector<float> in = counting(40 * 3), out(40 * 3), expected(40 * 3);
  for (size_t row = 0; row < 40; ++row) {
    for (size_t column = 0; column < 3; ++column) expected[row * 3 + column] = in[(39 - row) * 3 + column] + 1;
  }
  HostTensor from = host_tensor(in), to = host_tensor(out);
  from.shape = to.shape = {40, 3};
  const RunReport report = must_run(add(in_to_out("two_halves")), {from, to});
  EXPECT_EQ(out, expected);
  EXPECT_EQ(report.tasks, 81u) << "the allocation is complete at once and not counted";
}

TEST_P(ExplicitOrder, a_buffer_with_an_initial_value_has_it_when_the_first_kernel_uses_it) {
  std::vector<float> in = counting(1000), out(1000);
  must_run(add(in_to_out("from_seven")), {host_tensor(in), host_tensor(out)});
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 7 + 2 * in[i]) << i;
}

TEST_P(ExplicitOrder, the_orchestration_reads_what_a_kernel_wrote_and_a_later_kernel_what_the_orchestration_wrote) {
  std::vector<float> in = counting(64), out(64);
  in[0] = 4;
  must_run(add(in_to_out("elements")), {host_tensor(in), host_tensor(out)});
  EXPECT_EQ(out[0], 100.0f + 5.0f) << "the first kernel read its input before the orchestration wrote over it";
  for (size_t i = 1; i < 63; ++i) ASSERT_EQ(out[i], 2 * in[i] + 1) << i;
  EXPECT_EQ(out[63], 63.0f + 50.0f);
  EXPECT_EQ(in[0], 4.0f) << "an input is not copied back";
}

TEST_P(ExplicitOrder, a_tensor_given_by_address_follows_the_tasks_that_wrote_there) {
  std::vector<float> in = counting(64), out(32);
  must_run(add(in_to_out("by_address")), {host_tensor(in), host_tensor(out)});
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], in[32 + i] + 2) << i;
}

TEST_P(ExplicitOrder, the_dependency_rules_belong_to_the_callable) {
  CallableSpec spec = in_to_out("after_scope");
  std::vector<float> in = counting(64), out(64);
  const CallableId native = add(spec);
  expect_error(run(native, {host_tensor(in), host_tensor(out)}), ErrorCode::kInvalidArgs,
               "argument 0 of task 1 (kernel \"add_scalar\", id 1) names a buffer whose scope has ended");
  spec.dependency_rules = DependencyRules::kEcosystem;
  const CallableId ecosystem = add(spec);
  EXPECT_NE(native.digest, ecosystem.digest);
  must_run(ecosystem, {host_tensor(in), host_tensor(out)});
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], in[i] + 2) << i;
}

}  // namespace
}  // namespace taskmill::testing_support
