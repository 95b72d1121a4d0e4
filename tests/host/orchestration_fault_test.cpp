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
  expect_error(report, ErrorCode::kScopeDeadlock,
               "must keep at least 40 task slots alive, the task ring of scope depth 1 has 31 usable ones");
  expect_hello_works();
}

TEST_P(OrchestrationFault, an_output_larger_than_the_heap_is_told_at_once) {
  std::vector<float> in(1024);
  RunConfig config;
  config.heap_bytes[1] = 1024;
  const CallableId id = add(callable("long_scope", {argument("in", Direction::kIn)}, 0, {kernel(1, "add_scalar")}));
  expect_error(run(id, {host_tensor(in)}, config), ErrorCode::kHeapRingDeadlock,
               "4,096 bytes of output heap, the whole heap ring of scope depth 1 has 1,024: raise heap_bytes");
  expect_hello_works();
}

// A mistake of one submit, or of one element access, in a run with the one argument `x`.
class RefusedCall : public BothExecutors {
 protected:
  void expect_refused(const std::string& function, const std::string& sentence, std::vector<uint64_t> scalars = {}) {
    const CallableId id =
        add(callable(function, {argument("x", Direction::kInout)}, static_cast<uint32_t>(scalars.size()), {kernel(1, "add_scalar")}));
    std::vector<float> x(512);
    std::vector<Argument> arguments = {host_tensor(x)};
    arguments.insert(arguments.end(), scalars.begin(), scalars.end());
    expect_error(run(id, arguments), ErrorCode::kInvalidArgs, sentence);
    expect_hello_works();
  }
};
INSTANTIATE_TEST_SUITE_P(Executors, RefusedCall, testing::ValuesIn(both_executors()), setting_name);

TEST_P(RefusedCall, an_address_outside_every_buffer_is_told) {
  expect_refused("unknown_address",
                 "argument 0 of task 0 (kernel \"add_scalar\", id 1) is given by address 0x1000, which lies in no buffer of this run");
}

TEST_P(RefusedCall, a_tensor_that_lies_across_two_buffers_is_told_by_both) {
  expect_refused("bridge",
                 "argument 1 of task 2 (kernel \"add_scalar\", id 1) is given by address and begins in a buffer that task 0 made but ends "
                 "in a buffer that task 1 made");
}

TEST_P(RefusedCall, an_AUTO_scope_inside_a_MANUAL_one_is_told_by_file_and_line) {
  expect_refused("auto_in_manual", "programs/graphs.cpp:");
  expect_refused("auto_in_manual", " is AUTO and lies in a MANUAL one, which holds MANUAL scopes only");
}

TEST_P(RefusedCall, a_task_id_that_was_not_given_out_is_told) {
  expect_refused("unknown_task", "dependency 0 of task 1 is task id 0x1 (number 1 of scope depth 0), which no submit has given out");
}

TEST_P(RefusedCall, an_allocation_of_anything_but_new_buffers_is_told) {
  const std::string sentence = "task 0 only makes buffers: alloc_tensors takes 1 to 32 specifications and nothing else";
  expect_refused("allocates_what_exists", sentence);
  expect_refused("allocates_nothing", sentence);
}

TEST_P(RefusedCall, an_element_index_that_does_not_fit_the_tensor_is_told) {
  const std::string access = "an element access in the orchestration's own scope ";
  expect_refused("index_of", access + "has index 512 in dimension 0, where the tensor has extent 512", {1, 512});
  expect_refused("index_of", access + "gives 3 index numbers for a tensor of rank 1: give one for each dimension, or none", {3, 0});
}

TEST_P(RefusedCall, an_element_of_a_buffer_whose_scope_has_ended_is_told) {
  expect_refused("element_of_a_closed_scope",
                 "the tensor of an element access in the orchestration's own scope names a buffer whose scope has ended");
}

}  // namespace
}  // namespace taskmill::testing_support
