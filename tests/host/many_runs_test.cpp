// Many runs of one worker, in an order drawn from a seed.
#include <random>

#include "driver/sim/make_sim_device.h"
#include "driver/sim/seeded_backend.h"
#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

constexpr uint64_t kSeed = 15;

// The start of each AICPU thread is delayed by up to 1 ms of virtual time, anew in each run.
Result<std::unique_ptr<Device>> open_with_late_starters(std::shared_ptr<std::mt19937> random) {
  TASKMILL_ASSIGN(const std::unique_ptr<Device> plain, open_sim_device(SimOptions{.executor = SimExecutor::kSeeded}));
  sim::SeededOptions options;
  options.seed = kSeed;
  options.hooks.start_delay_ns = [random](sim::Unit unit) -> uint64_t {
    return unit.kind == sim::UnitKind::kCore ? 0 : (*random)() % 1'000'000;
  };
  return make_sim_device(plain->info(), std::make_unique<sim::SeededBackend>(options));
}

class ManyRuns : public WorkerFixture {
 protected:
  void SetUp() override {
    WorkerOptions options;
    options.cache_directory = shared_cache();
    options.open_device = [this](const std::string&, int32_t) { return open_with_late_starters(random_); };
    worker_ = Worker::open(std::move(options)).value();
  }
  const std::shared_ptr<std::mt19937> random_ = std::make_shared<std::mt19937>(kSeed);
};

TEST_F(ManyRuns, F15_a_thousand_runs_with_changing_task_counts_and_late_starters_are_all_right) {
  const CallableId id = add(pairs());
  RunConfig config;
  config.task_window = 64;
  config.heap_bytes = 64 << 10;
  const uint32_t pair_counts[] = {1, 37, 2, 250, 0, 5, 63, 1, 128, 3};
  for (uint32_t round = 0; round < 1'000; ++round) {
    const uint32_t count = pair_counts[round % std::size(pair_counts)];
    std::vector<float> in(4, static_cast<float>(round % 7)), sum(4, 0.0f);
    const Result<RunReport> report = run(id, {host_tensor(in), host_tensor(sum), uint64_t{count}}, config);
    ASSERT_TRUE(report) << "round " << round << ", seed " << kSeed << ": " << report.error().message;
    ASSERT_EQ(report->tasks, 2 * count) << "round " << round << ", seed " << kSeed;
    ASSERT_EQ(sum, std::vector<float>(4, pairs_result(count, in[0]))) << "round " << round << ", seed " << kSeed;
  }
}

}  // namespace
}  // namespace taskmill::testing_support
