#include "support/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

namespace taskmill::log {
namespace {

constexpr const char* kNames[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr spdlog::level::level_enum kSpdlogLevels[] = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                                       spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};

spdlog::level::level_enum spdlog_level(Level level) { return kSpdlogLevels[static_cast<int>(level)]; }

std::unique_ptr<spdlog::logger> make_logger() {
  auto logger = std::make_unique<spdlog::logger>("taskmill", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("taskmill %l: %v");
  const char* wanted = std::getenv("TASKMILL_LOG");
  logger->set_level(spdlog_level(parse_level(wanted != nullptr ? wanted : "", Level::kWarn)));
  return logger;
}

// Never destroyed: other static objects may log while they end.
spdlog::logger& logger() {
  static spdlog::logger& instance = *make_logger().release();
  return instance;
}

}  // namespace

Level parse_level(std::string_view name, Level fallback) {
  for (int level = 0; level <= static_cast<int>(Level::kOff); ++level) {
    if (name == kNames[level]) return static_cast<Level>(level);
  }
  return fallback;
}

bool enabled(Level level) { return logger().should_log(spdlog_level(level)); }

void write(Level level, std::string_view message) { logger().log(spdlog_level(level), "{}", message); }

}  // namespace taskmill::log
