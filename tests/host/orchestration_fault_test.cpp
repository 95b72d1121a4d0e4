// Orchestrations that fail. The device is fine afterwards: the same worker goes on.
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

using OrchestrationFault = BothExecutors;
INSTANTIATE_TEST_SUITE_P(Executors, OrchestrationFault, testing::ValuesIn(both_executors()), setting_name);

TEST_P(OrchestrationFault, what_an_orchestration_reports_is_the_runs_error) {
  expect_error(run(add(callable("reports", {}, 0, {})), {}), ErrorCode::kExplicitOrchFatal,
               "\"reports\": the orchestration reported: the batch is empty");
  expect_hello_works();
}

TEST_P(OrchestrationFault, an_exception_is_the_runs_error) {
  expect_error(run(add(callable("throws", {}, 0, {})), {}), ErrorCode::kOrchestrationThrew,
               "\"throws\": an exception left the orchestration: no such layer");
  expect_hello_works();
}

TEST_P(OrchestrationFault, an_unknown_kernel_id_is_told) {
  std::vector<float> x(4);
  expect_error(run(add(run_one({kernel(7, "accumulate")})), {host_tensor(x), uint64_t{3}}), ErrorCode::kUnknownKernel,
               "(kernel id 3) names a kernel id that the callable does not have");
  expect_hello_works();
}

TEST_P(OrchestrationFault, F19_a_scope_that_keeps_more_slots_than_the_window_has_is_told_by_file_and_line) {
  std::vector<float> in(16);
  RunConfig config;
  config.task_window = 32;
  const CallableId id = add(callable("long_scope", {argument("in", Direction::kIn)}, 0, {kernel(1, "add_scalar")}));
  const Result<RunReport> report = run(id, {host_tensor(in)}, config);
  expect_error(report, ErrorCode::kScopeDeadlock, "programs/graphs.cpp:");
  expect_error(report, ErrorCode::kScopeDeadlock, "must keep at least 40 task slots alive, the task ring has 31 usable ones");
  expect_hello_works();
}

TEST_P(OrchestrationFault, an_output_larger_than_the_heap_is_told_at_once) {
  std::vector<float> in(1024);
  RunConfig config;
  config.heap_bytes = 1024;
  const CallableId id = add(callable("long_scope", {argument("in", Direction::kIn)}, 0, {kernel(1, "add_scalar")}));
  expect_error(run(id, {host_tensor(in)}, config), ErrorCode::kHeapRingDeadlock, "4,096 bytes of output heap");
  expect_hello_works();
}

}  // namespace
}  // namespace taskmill::testing_support
