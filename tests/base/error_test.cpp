#include "taskmill/error.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace taskmill::test {
namespace {

TEST(ErrorTable, numbers_and_names_are_unique_and_each_says_something) {
  std::set<int> numbers;
  std::set<std::string> names;
#define TASKMILL_X(number, name, state, meaning)                        \
  EXPECT_TRUE(numbers.insert(number).second) << number;                 \
  EXPECT_TRUE(names.insert(#name).second) << #name;                     \
  EXPECT_STREQ(error_name(static_cast<ErrorCode>(number)), #name);      \
  EXPECT_STREQ(error_meaning(static_cast<ErrorCode>(number)), meaning); \
  EXPECT_GT(std::strlen(meaning), 0u);
  TASKMILL_ERROR_CODES(TASKMILL_X)
#undef TASKMILL_X
}

TEST(ErrorTable, keeps_the_ecosystems_numbers) {
  const std::pair<int, const char*> numbers[] = {{1, "ScopeDeadlock"},
                                                 {2, "HeapRingDeadlock"},
                                                 {3, "FlowControlDeadlock"},
                                                 {4, "DepPoolOverflow"},
                                                 {5, "InvalidArgs"},
                                                 {6, "DependencyOverflow"},
                                                 {7, "RequireSyncStartInvalid"},
                                                 {8, "TensorWaitTimeout"},
                                                 {9, "ExplicitOrchFatal"},
                                                 {10, "ScopeTasksOverflow"},
                                                 {11, "TensorMapOverflow"},
                                                 {100, "SchedulerTimeout"},
                                                 {101, "AsyncCompletionInvalid"},
                                                 {102, "AsyncWaitOverflow"},
                                                 {103, "AsyncRegistrationFailed"},
                                                 {104, "ReadyQueueOverflow"}};
  for (const auto& [number, name] : numbers) EXPECT_STREQ(error_name(static_cast<ErrorCode>(number)), name);
}

TEST(ErrorTable, a_number_that_it_does_not_have_is_unknown) {
  EXPECT_STREQ(error_name(static_cast<ErrorCode>(99)), "Unknown");
  EXPECT_STREQ(error_meaning(static_cast<ErrorCode>(99)), "");
}

}  // namespace
}  // namespace taskmill::test
