// A worker on a simulated chip, and a cache of compiled programs that all tests of this process share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/sim/sim_device.h"
#include "host/programs.h"
#include "support/file.h"
#include "taskmill/host.h"

namespace taskmill::testing_support {

inline const std::filesystem::path& shared_cache() {
  static const TemporaryFolder folder = *TemporaryFolder::make("taskmill-host-test-");
  return folder.path();
}

inline Result<std::unique_ptr<Worker>> open_worker(const SimOptions& sim) {
  WorkerOptions options;
  options.cache_directory = shared_cache();
  options.open_device = [sim](const std::string&, int32_t) { return open_sim_device(sim); };
  return Worker::open(std::move(options));
}

class WorkerFixture : public testing::Test {
 protected:
  void open(const SimOptions& sim) {
    worker_.reset();
    Result<std::unique_ptr<Worker>> worker = open_worker(sim);
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = *std::move(worker);
  }
  CallableId add(const CallableSpec& spec) {
    const Result<CallableId> id = worker_->register_callable(spec);
    EXPECT_TRUE(id) << id.error().message;
    return id ? *id : CallableId{};
  }
  Result<RunReport> run(const CallableId& id, std::vector<Argument> arguments, const RunConfig& config = {}) {
    return worker_->run(id, arguments, config);
  }
  // A run that must succeed.
  RunReport must_run(const CallableId& id, std::vector<Argument> arguments, const RunConfig& config = {}) {
    Result<RunReport> report = run(id, std::move(arguments), config);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *std::move(report) : RunReport{};
  }
  void expect_hello_works() {
    std::vector<float> in(64, 2.0f), out(64);
    must_run(add(hello()), {host_tensor(in), host_tensor(out)});
    EXPECT_EQ(out, std::vector<float>(64, 3.0f));
  }
  static void expect_error(const Result<RunReport>& report, ErrorCode code, const std::string& part) {
    ASSERT_FALSE(report);
    EXPECT_EQ(error_name(report.error().code), std::string(error_name(code))) << report.error().message;
    EXPECT_NE(report.error().message.find(part), std::string::npos) << report.error().message << "\nlacks: " << part;
  }

  std::unique_ptr<Worker> worker_;
};

// The same test in both executors, and with memories that are not coherent.
struct Setting {
  std::string name;
  SimOptions sim;
};

inline std::vector<Setting> both_executors() {
  Setting pool = {"pool", {}}, seeded = {"seeded", {}}, noncoherent = {"noncoherent", {}};
  seeded.sim.executor = SimExecutor::kSeeded;
  noncoherent.sim.executor = SimExecutor::kSeeded;
  noncoherent.sim.noncoherent = true;
  return {pool, seeded, noncoherent};
}

inline std::string setting_name(const testing::TestParamInfo<Setting>& info) { return info.param.name; }

class BothExecutors : public WorkerFixture, public testing::WithParamInterface<Setting> {
 protected:
  void SetUp() override { open(GetParam().sim); }
};

class SeededWorker : public WorkerFixture {
 protected:
  void SetUp() override {
    SimOptions sim;
    sim.executor = SimExecutor::kSeeded;
    open(sim);
  }
};

}  // namespace taskmill::testing_support
