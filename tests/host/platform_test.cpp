#include "host/platform.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "host/worker_fixture.h"

namespace taskmill::testing_support {
namespace {

class PlatformTest : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("TASKMILL_SIM_EXECUTOR");
    unsetenv("TASKMILL_SIM_SEED");
  }
};

TEST_F(PlatformTest, simulated_chips_of_both_generations_open_by_name) {
  EXPECT_EQ((*open_platform("a2a3sim", 0))->info().cores, 72u);
  EXPECT_EQ((*open_platform("a5sim", 0))->info().cores, 108u);
  EXPECT_EQ((*open_platform("a2a3sim", 0))->info().platform, "a2a3sim");
}

TEST_F(PlatformTest, hardware_is_not_supported_by_this_build_and_the_message_names_what_is) {
  const auto device = open_platform("a2a3", 0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(device.error().message, "platform \"a2a3\" is hardware and this build has no hardware driver; use \"a2a3sim\"");
}

TEST_F(PlatformTest, an_unknown_name_is_told_with_the_known_ones) {
  EXPECT_EQ(open_platform("b7", 0).error().message, "there is no platform \"b7\"; use a2a3sim or a5sim");
  EXPECT_EQ(open_platform("b7sim", 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(open_platform("a2a3sim", -1).error().message, "device id -1 is negative");
}

TEST_F(PlatformTest, the_environment_chooses_the_executor) {
  setenv("TASKMILL_SIM_EXECUTOR", "seeded", 1);
  setenv("TASKMILL_SIM_SEED", "7", 1);
  EXPECT_TRUE(open_platform("a2a3sim", 0));
  setenv("TASKMILL_SIM_EXECUTOR", "quantum", 1);
  const auto device = open_platform("a2a3sim", 0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(device.error().message.find("quantum"), std::string::npos) << device.error().message;
}

TEST_F(PlatformTest, a_worker_opens_by_platform_name_and_fails_with_the_platforms_error) {
  WorkerOptions options;
  options.cache_directory = shared_cache();
  options.platform = "a5sim";
  EXPECT_EQ((*Worker::open(options))->device_info().platform, "a5sim");
  options.platform = "a5";
  EXPECT_EQ(Worker::open(options).error().code, ErrorCode::kUnsupported);
}

TEST_F(PlatformTest, a_worker_on_the_null_device_goes_through_all_steps_of_a_run) {
  WorkerOptions options;
  options.cache_directory = shared_cache();
  options.platform = "a2a3null";
  std::unique_ptr<Worker> worker = *Worker::open(options);
  const CallableId id = worker->register_callable(hello()).value();
  std::vector<float> in(16, 1.0f), out(16, 5.0f);
  const std::vector<Argument> arguments = {host_tensor(in), host_tensor(out)};
  const Result<RunReport> report = worker->run(id, arguments);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->copied_in_bytes, 64u);
  EXPECT_EQ(report->copied_back_bytes, 64u);
}

TEST_F(PlatformTest, an_opener_that_gives_no_device_is_told) {
  WorkerOptions options;
  options.cache_directory = shared_cache();
  options.open_device = [](const std::string&, int32_t) -> Result<std::unique_ptr<Device>> { return std::unique_ptr<Device>(); };
  EXPECT_EQ(Worker::open(options).error().message, "open_device gave no device");
}

}  // namespace
}  // namespace taskmill::testing_support
