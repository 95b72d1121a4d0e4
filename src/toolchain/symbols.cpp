#include "toolchain/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "support/subprocess.h"

namespace taskmill::toolchain {
namespace {

constexpr size_t kNamed = 8;  // exported symbols that a message lists

std::string listed(const std::vector<std::string>& exported) {
  std::string text;
  for (size_t i = 0; i < exported.size() && i < kNamed; ++i) text += (i == 0 ? "" : ", ") + exported[i];
  if (exported.size() > kNamed) text += fmt::format(" and {} more", exported.size() - kNamed);
  return text.empty() ? "nothing" : text;
}

bool is_cpp_function(const std::string& exported, const std::string& symbol) { return exported.starts_with(symbol + "("); }

}  // namespace

Result<std::vector<std::string>> exported_symbols(const std::filesystem::path& object) {
  TASKMILL_ASSIGN(const ProcessResult nm, run_process({"nm", "-D", "-C", "--defined-only", object.string()}));
  if (nm.exit_code != 0) return fail(ErrorCode::kLoadFailed, fmt::format("{}: {}", object.string(), nm.errors));
  std::vector<std::string> names;
  std::istringstream lines(nm.output);
  for (std::string line; std::getline(lines, line);) {
    // "0000000000001139 T kernel_entry"; weak ones (inline functions of headers) are no entries.
    const size_t kind = line.find(' ');
    if (kind == std::string::npos || kind + 3 > line.size()) continue;
    if (line[kind + 1] == 'T' || line[kind + 1] == 'D' || line[kind + 1] == 'B' || line[kind + 1] == 'R')
      names.push_back(line.substr(kind + 3));
  }
  return names;
}

Result<void> require_symbol(const std::filesystem::path& object, const std::string& symbol, const std::filesystem::path& source,
                            const std::string& label) {
  TASKMILL_ASSIGN(const std::vector<std::string> exported, exported_symbols(object));
  if (std::ranges::find(exported, symbol) != exported.end()) return {};
  const bool mangled = std::ranges::any_of(exported, [&](const std::string& name) { return is_cpp_function(name, symbol); });
  return fail(ErrorCode::kMissingSymbol, fmt::format("{}: {} does not export \"{}\"{}; it exports {}", label, source.string(), symbol,
                                                     mangled ? " with C linkage (write extern \"C\" before it)" : "", listed(exported)));
}

}  // namespace taskmill::toolchain
