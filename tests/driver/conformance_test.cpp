#include "driver/conformance.h"

#include <gtest/gtest.h>

#include "driver/fault/fault_device.h"
#include "driver/null/null_device.h"
#include "driver/sim/sim_device.h"

namespace taskmill::conformance {
namespace {

constexpr uint64_t kMemoryBytes = uint64_t{64} << 20;

Result<std::unique_ptr<Device>> open_sim(SimExecutor executor, bool noncoherent) {
  return open_sim_device({.executor = executor, .memory_bytes = kMemoryBytes, .noncoherent = noncoherent});
}

Result<std::unique_ptr<Device>> open_faulty_sim() {
  return open_sim(SimExecutor::kPool, false).map([](std::unique_ptr<Device> inner) -> std::unique_ptr<Device> {
    return wrap_with_faults(std::move(inner));
  });
}

const std::vector<DriverUnderTest>& drivers() {
  static const std::vector<DriverUnderTest> all = {
      {.name = "null", .open = [] { return open_null_device("a2a3null"); }},
      {.name = "sim_seeded", .open = [] { return open_sim(SimExecutor::kSeeded, false); }, .waits_outside = false},
      {.name = "sim_seeded_noncoherent", .open = [] { return open_sim(SimExecutor::kSeeded, true); }, .waits_outside = false},
      {.name = "sim_pool", .open = [] { return open_sim(SimExecutor::kPool, false); }},
      {.name = "sim_pool_noncoherent", .open = [] { return open_sim(SimExecutor::kPool, true); }},
      {.name = "fault_sim_pool", .open = [] { return open_faulty_sim(); }},
  };
  return all;
}

struct Case {
  const DriverUnderTest* driver;
  const Check* check;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const DriverUnderTest& driver : drivers()) {
    for (const auto* checks : {&memory_checks(), &stream_checks(), &program_checks()}) {
      for (const Check& check : *checks) all.push_back({&driver, &check});
    }
  }
  return all;
}

// Why the device need not pass, or empty.
std::string why_not(const Case& c, const DeviceInfo& info) {
  const auto reason = c.driver->unsupported.find(c.check->name);
  if (reason != c.driver->unsupported.end()) return reason->second;
  switch (c.check->needs) {
    case Needs::kNothing:
      return "";
    case Needs::kPrograms:
      return info.runs_programs ? "" : "the device runs no programs";
    case Needs::kTimestamps:
      return info.timestamps ? "" : "the device has no timestamps";
    case Needs::kOutsideWaits:
      if (!info.runs_programs) return "the device runs no programs";
      return c.driver->waits_outside ? "" : "a run cannot wait for what happens outside it";
  }
  return "";
}

class Conformance : public testing::TestWithParam<Case> {};

TEST_P(Conformance, holds) {
  auto device = GetParam().driver->open();
  ASSERT_TRUE(device) << device.error().message;
  if (const std::string reason = why_not(GetParam(), (*device)->info()); !reason.empty()) GTEST_SKIP() << reason;
  const std::string failure = GetParam().check->run(**device);
  const auto expected = GetParam().driver->expected_to_fail.find(GetParam().check->name);
  if (expected == GetParam().driver->expected_to_fail.end()) {
    EXPECT_EQ(failure, "");
  } else {
    EXPECT_NE(failure, "") << "holds, though it was expected to fail: " << expected->second;
  }
}

INSTANTIATE_TEST_SUITE_P(Driver, Conformance, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.driver->name + "__" + info.param.check->name; });

// The lists name checks that exist.
TEST(ConformanceLists, name_checks_of_the_suite) {
  for (const DriverUnderTest& driver : drivers()) {
    for (const auto* list : {&driver.unsupported, &driver.expected_to_fail}) {
      for (const auto& [name, reason] : *list) {
        const auto all = cases();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) { return c.check->name == name; })) << name;
        EXPECT_FALSE(reason.empty()) << name;
      }
    }
  }
}

}  // namespace
}  // namespace taskmill::conformance
