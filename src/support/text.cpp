#include "support/text.h"

#include <fmt/format.h>

namespace taskmill::text {

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string counted(uint64_t value, std::string_view noun) { return fmt::format("{} {}{}", grouped(value), noun, value == 1 ? "" : "s"); }

std::string duration(uint64_t ns) {
  const auto amount = static_cast<double>(ns);
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.4g} us", amount / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.4g} ms", amount / 1e6);
  return fmt::format("{:.6g} s", amount / 1e9);
}

}  // namespace taskmill::text
