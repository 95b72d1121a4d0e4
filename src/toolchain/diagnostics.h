// Reads a compiler's messages.
#pragma once

#include <string>
#include <string_view>

namespace taskmill::toolchain {

// The first line that tells an error ("file:line:column: error: ..."), else the first line that is not empty.
std::string_view first_error(std::string_view messages);

// Preprocessed text without line markers and empty lines, as `-P` gives it. REQUIRES: no raw string, which may hold both.
std::string without_line_markers(std::string_view preprocessed);

// True if the text can observe where it stands in its file other than through macros, which are expanded already.
bool observes_position(std::string_view preprocessed);

// True if there may be a raw string literal.
bool has_raw_string(std::string_view preprocessed);

}  // namespace taskmill::toolchain
