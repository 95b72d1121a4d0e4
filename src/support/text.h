// How messages show values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taskmill::text {

// 786432 as "786,432".
std::string grouped(uint64_t value);

// The text in double quotes.
std::string quoted(std::string_view text);

// "1 tensor", "3 tensors", "1,024 bytes": a number and its noun, plural by an "s".
std::string counted(uint64_t value, std::string_view noun);

// A duration with a unit that keeps it short: "45 s", "2.5 ms", "17 ns".
std::string duration(uint64_t ns);

}  // namespace taskmill::text
