#include "toolchain/diagnostics.h"

#include <cctype>

namespace taskmill::toolchain {
namespace {

std::string_view take_line(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

bool is_line_marker(std::string_view line) {
  return line.size() > 2 && line[0] == '#' && line[1] == ' ' && std::isdigit(static_cast<unsigned char>(line[2])) != 0;
}

}  // namespace

std::string_view first_error(std::string_view messages) {
  std::string_view first;
  while (!messages.empty()) {
    const std::string_view line = take_line(&messages);
    if (line.find(": error: ") != std::string_view::npos || line.find(": fatal error: ") != std::string_view::npos ||
        line.find(": undefined reference to ") != std::string_view::npos) {
      return line;
    }
    if (first.empty()) first = line;
  }
  return first;
}

std::string without_line_markers(std::string_view preprocessed) {
  std::string text;
  text.reserve(preprocessed.size());
  while (!preprocessed.empty()) {
    const std::string_view line = take_line(&preprocessed);
    if (line.empty() || is_line_marker(line)) continue;
    text += line;
    text += '\n';
  }
  return text;
}

bool observes_position(std::string_view preprocessed) {
  for (const char* name : {"__builtin_LINE", "__builtin_FILE", "__builtin_FUNCTION", "__builtin_source_location"}) {
    if (preprocessed.find(name) != std::string_view::npos) return true;
  }
  return false;
}

bool has_raw_string(std::string_view preprocessed) { return preprocessed.find("R\"") != std::string_view::npos; }

}  // namespace taskmill::toolchain
