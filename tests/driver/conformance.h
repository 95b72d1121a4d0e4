// The conformance suite: what every driver must do, as a table of checks. A driver under test says which checks it does not
// support and which it is expected to fail, each with a reason; a check that was expected to fail and holds is a failure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "taskmill/driver.h"

namespace taskmill::conformance {

struct DriverUnderTest {
  std::string name;
  std::function<Result<std::unique_ptr<Device>>()> open;
  std::map<std::string, std::string> unsupported = {};       // check to reason: for ever
  std::map<std::string, std::string> expected_to_fail = {};  // check to reason: for now
  bool waits_outside = true;                                 // a run may wait for what the host does meanwhile
};

// What a check needs of a device.
enum class Needs : uint8_t {
  kNothing,
  kPrograms,      // DeviceInfo::runs_programs
  kTimestamps,    // DeviceInfo::timestamps
  kOutsideWaits,  // kPrograms and DriverUnderTest::waits_outside
};

struct Check {
  const char* name;  // the sentence that it proves
  Needs needs;
  std::string (*run)(Device& device);  // empty: it holds
};

const std::vector<Check>& memory_checks();
const std::vector<Check>& stream_checks();
const std::vector<Check>& program_checks();

}  // namespace taskmill::conformance

// In a check: returns what does not hold.
#define TASKMILL_LINE_ ("line " + std::to_string(__LINE__) + ": ")
#define HOLDS(condition) \
  if (!(condition)) return TASKMILL_LINE_ + #condition
#define SUCCEEDS(expression) \
  if (const auto outcome = (expression); !outcome) return TASKMILL_LINE_ + #expression + ": " + outcome.error().message
#define GIVES(target, expression)                                                                     \
  auto target##_result = (expression);                                                                \
  if (!target##_result) return TASKMILL_LINE_ + #expression + ": " + target##_result.error().message; \
  [[maybe_unused]] auto target = *std::move(target##_result)
// Fails with this code, and the message contains `text`.
#define FAILS_WITH(error_code, text, expression)                                                                            \
  if (const auto outcome = (expression); outcome) {                                                                         \
    return TASKMILL_LINE_ + #expression + " succeeds";                                                                      \
  } else if (outcome.error().code != ErrorCode::k##error_code || outcome.error().message.find(text) == std::string::npos) { \
    return TASKMILL_LINE_ + error_name(outcome.error().code) + ": " + outcome.error().message;                              \
  }
