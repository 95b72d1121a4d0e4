// A worker whose driver fails at each call in turn: the run tells it, nothing leaks, and the worker works again or says that its
// device is lost.
#include "driver/fault/fault_device.h"
#include "driver/null/null_device.h"
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

// Opens a worker on `inner` and keeps a hold of the decorator, which the worker owns.
class DriverFault : public WorkerFixture {
 protected:
  void open_with_faults(std::function<Result<std::unique_ptr<Device>>()> inner) {
    inner_ = std::move(inner);
    WorkerOptions options;
    options.cache_directory = shared_cache();
    options.open_device = [this](const std::string&, int32_t) -> Result<std::unique_ptr<Device>> {
      TASKMILL_ASSIGN(std::unique_ptr<Device> device, inner_());
      std::unique_ptr<FaultDevice> faulty = wrap_with_faults(std::move(device));
      faults_ = faulty.get();
      return faulty;
    };
    worker_.reset();
    worker_ = Worker::open(std::move(options)).value();
    id_ = add(hello());
    config_.trace = true;
    config_.task_window = 16;
    config_.heap_bytes = 4096;
    ASSERT_TRUE(run_hello());
    healthy_ = worker_->statistics();
  }
  Result<RunReport> run_hello() { return run(id_, {host_tensor(in_), host_tensor(out_)}, config_); }

  // Fails the nth call of this kind of a run; false if a run does not make so many.
  bool fails_well(CallKind kind, uint64_t nth, FaultMode mode) {
    SCOPED_TRACE(std::string(call_name(kind)) + " " + std::to_string(nth) + ", mode " + std::to_string(static_cast<int>(mode)));
    const uint64_t fired = faults_->fired();
    faults_->plan({kind, faults_->count(kind) + nth, ErrorCode::kDeviceFault, mode});
    const Result<RunReport> report = run_hello();
    if (faults_->fired() == fired) {
      reopen();
      return false;
    }
    const Result<DeviceAddress> probe = worker_->malloc(64);
    if (!probe) {
      EXPECT_FALSE(report);
      EXPECT_EQ(error_name(probe.error().code), std::string("DeviceLost")) << probe.error().message;
      reopen();
      return true;
    }
    EXPECT_TRUE(worker_->free(*probe));
    EXPECT_EQ(worker_->statistics().live_allocations, healthy_.live_allocations);
    EXPECT_EQ(worker_->statistics().live_events, healthy_.live_events);
    EXPECT_EQ(worker_->statistics().live_streams, healthy_.live_streams);
    const Result<RunReport> again = run_hello();
    EXPECT_TRUE(again) << again.error().message;
    return true;
  }
  void reopen() { open_with_faults(inner_); }

  std::function<Result<std::unique_ptr<Device>>()> inner_;
  FaultDevice* faults_ = nullptr;
  CallableId id_;
  RunConfig config_;
  DeviceStatistics healthy_;
  std::vector<float> in_ = std::vector<float>(16, 1.0f), out_ = std::vector<float>(16);
};

TEST_F(DriverFault, on_a_simulated_chip_each_call_of_a_run_that_fails_is_told_and_leaks_nothing) {
  open_with_faults([] { return open_sim_device(SimOptions{.executor = SimExecutor::kSeeded}); });
  uint64_t failed = 0;
  for (const CallKind kind : {CallKind::kAllocate, CallKind::kCopy, CallKind::kLaunch, CallKind::kRecord, CallKind::kSynchronize}) {
    for (uint64_t nth = 1; fails_well(kind, nth, FaultMode::kInstead); ++nth) ++failed;
  }
  EXPECT_GE(failed, 15u);
}

TEST_F(DriverFault, a_run_after_as_many_failed_ones_as_there_are_token_generations_is_as_good_as_any) {
  open_with_faults([] { return open_sim_device(SimOptions{.executor = SimExecutor::kSeeded}); });
  const CallableId many_tasks = add(pairs());
  for (int i = 0; i < 254; ++i) {
    // The third copy is the argument's; the trace header and the tables go before.
    faults_->plan({CallKind::kCopy, faults_->count(CallKind::kCopy) + 3, ErrorCode::kDeviceFault});
    ASSERT_EQ(run_hello().error().code, ErrorCode::kDeviceFault);
  }
  std::vector<float> sum(16);
  must_run(many_tasks, {host_tensor(in_), host_tensor(sum), uint64_t{64}});
  EXPECT_EQ(sum, std::vector<float>(16, pairs_result(64, 1.0f)));
}

TEST_F(DriverFault, A11_a_run_that_nobody_could_make_leave_is_the_workers_last_and_its_close_does_not_wait_for_it) {
  open_with_faults([] { return open_sim_device(SimOptions{}); });
  const CallableId never_ends = add(run_one({kernel(7, "never_end")}));
  config_.trace = false;  // it synchronizes between the phases
  config_.kernel_limit_ns = config_.stall_limit_ns = 0;
  const uint64_t synchronized = faults_->count(CallKind::kSynchronize);
  faults_->plan({CallKind::kSynchronize, synchronized + 1, ErrorCode::kDeviceFault});  // the run's wait
  faults_->plan({CallKind::kSynchronize, synchronized + 2, ErrorCode::kDeviceFault});  // the word to leave
  faults_->plan({CallKind::kAbandon, faults_->count(CallKind::kAbandon) + 1, ErrorCode::kUnsupported});
  EXPECT_EQ(run(never_ends, {host_tensor(in_), uint64_t{7}}, config_).error().code, ErrorCode::kDeviceFault);
  EXPECT_EQ(run_hello().error().code, ErrorCode::kDeviceLost);
  EXPECT_EQ(worker_->malloc(64).error().code, ErrorCode::kDeviceLost);
  EXPECT_TRUE(worker_->close());
}

TEST_F(DriverFault, on_a_simulated_chip_a_launch_that_is_lost_on_its_stream_is_told_and_costs_the_device) {
  open_with_faults([] { return open_sim_device(SimOptions{}); });
  for (uint64_t nth = 1; nth <= 2; ++nth) {
    faults_->plan({CallKind::kLaunch, faults_->count(CallKind::kLaunch) + nth, ErrorCode::kDeviceFault, FaultMode::kLater});
    EXPECT_EQ(run_hello().error().code, ErrorCode::kDeviceFault);
    EXPECT_EQ(worker_->malloc(64).error().code, ErrorCode::kDeviceLost);
    reopen();
  }
}

TEST_F(DriverFault, work_that_is_lost_on_a_stream_is_told_by_the_run_and_costs_the_device) {
  open_with_faults([] { return open_null_device("a2a3null"); });
  for (uint64_t nth = 1; nth <= 2; ++nth) {
    faults_->plan({CallKind::kLaunch, faults_->count(CallKind::kLaunch) + nth, ErrorCode::kDeviceFault, FaultMode::kLater});
    EXPECT_EQ(run_hello().error().code, ErrorCode::kDeviceFault);
    EXPECT_EQ(worker_->malloc(64).error().code, ErrorCode::kDeviceLost);
    reopen();
  }
}

}  // namespace
}  // namespace taskmill::testing_support
