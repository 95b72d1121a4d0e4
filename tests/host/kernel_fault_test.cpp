// Kernels that crash, never end, or wait for one another.
#include "driver/sim/clock.h"
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

class KernelFault : public BothExecutors {
 protected:
  // After a fault this worker's device is lost and says so, and the next worker is fine.
  void expect_lost_and_the_next_worker_fine() {
    std::vector<float> x(4);
    const Result<CallableId> id = worker_->register_callable(hello());
    ASSERT_FALSE(id);
    EXPECT_EQ(id.error().code, ErrorCode::kDeviceLost);
    EXPECT_NE(id.error().message.find("close it and open a new worker"), std::string::npos) << id.error().message;
    EXPECT_EQ(worker_->malloc(64).error().code, ErrorCode::kDeviceLost);
    EXPECT_TRUE(worker_->close());
    open(GetParam().sim);
    expect_hello_works();
  }
};
INSTANTIATE_TEST_SUITE_P(Executors, KernelFault, testing::ValuesIn(both_executors()), setting_name);

TEST_P(KernelFault, a_kernel_that_crashes_is_that_tasks_error_and_the_next_worker_is_fine) {
  std::vector<float> x(4);
  const Result<RunReport> report = run(add(run_one({kernel(7, "crash")})), {host_tensor(x), uint64_t{7}});
  expect_error(report, ErrorCode::kKernelCrashed, "\"run_one\": task 0 (kernel \"crash\", id 7) on AIV ");
  expect_error(report, ErrorCode::kKernelCrashed, "the kernel raised SIGSEGV at address 0x10");
  expect_lost_and_the_next_worker_fine();
}

TEST(KernelFaultSeeded, a_kernel_that_never_ends_is_told_after_its_limit_on_the_virtual_clock) {
  SimOptions sim;
  sim.executor = SimExecutor::kSeeded;
  for (int round = 0; round < 2; ++round) {
    std::unique_ptr<Worker> worker = *open_worker(sim);
    const CallableId id = worker->register_callable(run_one({kernel(7, "never_end"), kernel(1, "add_scalar")})).value();
    std::vector<float> x(4);
    RunConfig config;
    config.kernel_limit_ns = 3'600'000'000'000;
    const std::vector<Argument> arguments = {host_tensor(x), uint64_t{7}};
    const Result<RunReport> report = worker->run(id, arguments, config);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kSchedulerTimeout);
    EXPECT_NE(report.error().message.find("task 0 (kernel \"never_end\", id 7) on AIV "), std::string::npos) << report.error().message;
    EXPECT_NE(report.error().message.find("its limit is 3600 s"), std::string::npos) << report.error().message;
    EXPECT_EQ(worker->malloc(64).error().code, ErrorCode::kDeviceLost);
  }
}

TEST(KernelFaultPool, a_kernel_that_never_ends_is_told_after_its_limit_on_an_injected_clock) {
  sim::ManualClock clock;
  SimOptions sim;
  sim.clock = &clock;
  std::unique_ptr<Worker> worker = *open_worker(sim);
  const CallableId id = worker->register_callable(run_one({kernel(7, "never_end")})).value();
  std::vector<float> x(4);
  std::atomic<bool> done = false;
  std::thread time([&] {
    while (!done.load()) clock.advance(1'000'000'000);
  });
  RunConfig config;
  config.stall_limit_ns = 0;  // the clock runs before the cores do
  const std::vector<Argument> arguments = {host_tensor(x), uint64_t{7}};
  const Result<RunReport> report = worker->run(id, arguments, config);
  done.store(true);
  time.join();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kSchedulerTimeout);
  EXPECT_NE(report.error().message.find("its limit is 45 s"), std::string::npos) << report.error().message;
  EXPECT_EQ(worker->malloc(64).error().code, ErrorCode::kDeviceLost);
  worker = *open_worker({});
  EXPECT_TRUE(worker->register_callable(hello()));
}

TEST(KernelFaultPool, more_kernels_that_spin_on_a_plain_task_than_there_are_cpus_finish) {
  SimOptions sim;
  sim.threads = 2;
  std::unique_ptr<Worker> worker = *open_worker(sim);
  CallableSpec spec = callable("waiters", {argument("seen", Direction::kOut), argument("word", Direction::kIn, DataType::kUint32)}, 0,
                               {kernel(4, "spin_until_set"), kernel(5, "set_word")});
  const CallableId id = worker->register_callable(spec).value();
  std::vector<float> seen(24, 0.0f);
  uint32_t word = 0;
  const std::vector<Argument> arguments = {HostTensor{seen.data(), 96, {24, 1}, DataType::kFloat32},
                                           HostTensor{&word, 4, {1}, DataType::kUint32}};
  const Result<RunReport> report = worker->run(id, arguments);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(seen, std::vector<float>(24, 1.0f));
  EXPECT_EQ(report->tasks, 25u);
  EXPECT_GE(worker->statistics().threads_peak, 24u);
}

}  // namespace
}  // namespace taskmill::testing_support
