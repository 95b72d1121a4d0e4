// Field cases with many processes and many runs.
#include <thread>

#include "host/worker_fixture.h"
#include "support/subprocess.h"

namespace taskmill::testing_support {
namespace {

TEST(ManyWorkers, F05_eight_processes_with_a_whole_chip_each_started_at_once_all_finish) {
  setenv("TASKMILL_CACHE_DIR", shared_cache().c_str(), 1);
  const Result<ProcessResult> first = run_process({TASKMILL_TEST_HELPER, "1"});  // fills the cache
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(first->output, "ok\n") << first->errors;
  std::vector<Result<ProcessResult>> results(8);
  std::vector<std::thread> starters;
  for (Result<ProcessResult>& result : results) starters.emplace_back([&result] { result = run_process({TASKMILL_TEST_HELPER, "100"}); });
  for (std::thread& starter : starters) starter.join();
  unsetenv("TASKMILL_CACHE_DIR");
  for (const Result<ProcessResult>& result : results) {
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->exit_code, 0);
    EXPECT_EQ(result->output, "ok\n") << result->errors;
  }
}

TEST(ManyWorkers, two_workers_of_one_process_run_at_the_same_time) {
  std::vector<std::thread> threads;
  for (int worker_index = 0; worker_index < 2; ++worker_index) {
    threads.emplace_back([] {
      std::unique_ptr<Worker> worker = *open_worker({});
      const CallableId id = worker->register_callable(pairs()).value();
      for (uint32_t run = 0; run < 20; ++run) {
        std::vector<float> in(64, 1.0f), sum(64, 0.0f);
        const std::vector<Argument> arguments = {host_tensor(in), host_tensor(sum), uint64_t{run}};
        const Result<RunReport> report = worker->run(id, arguments);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(sum, std::vector<float>(64, pairs_result(run, 1.0f)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace taskmill::testing_support
