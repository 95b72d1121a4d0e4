// One line of log on stderr. The level comes from TASKMILL_LOG (trace, debug, info, warn, error, off), read once; default warn.
// Never called on a dispatch path. Thread-safe.
#pragma once

#include <string_view>

namespace taskmill::log {

enum class Level { kTrace, kDebug, kInfo, kWarn, kError, kOff };

// True if a message of this level would be written: guards messages that are dear to build.
bool enabled(Level level);
void write(Level level, std::string_view message);

inline void debug(std::string_view message) { write(Level::kDebug, message); }
inline void info(std::string_view message) { write(Level::kInfo, message); }
inline void warn(std::string_view message) { write(Level::kWarn, message); }
inline void error(std::string_view message) { write(Level::kError, message); }

// The level that a name stands for; `fallback` for any other text.
Level parse_level(std::string_view name, Level fallback);

}  // namespace taskmill::log
