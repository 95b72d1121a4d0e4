#include "support/log.h"

#include <gtest/gtest.h>

namespace taskmill::log {
namespace {

TEST(Log, a_level_is_known_by_its_name_and_any_other_text_gives_the_fallback) {
  EXPECT_EQ(parse_level("debug", Level::kWarn), Level::kDebug);
  EXPECT_EQ(parse_level("off", Level::kWarn), Level::kOff);
  EXPECT_EQ(parse_level("", Level::kWarn), Level::kWarn);
  EXPECT_EQ(parse_level("loud", Level::kError), Level::kError);
}

TEST(Log, warnings_are_written_and_information_is_not_unless_asked_for) {
  testing::internal::CaptureStderr();
  info("not to be seen");
  warn("to be seen {}");
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(written, "taskmill warning: to be seen {}\n");
  EXPECT_TRUE(enabled(Level::kWarn));
  EXPECT_FALSE(enabled(Level::kInfo));
}

}  // namespace
}  // namespace taskmill::log
