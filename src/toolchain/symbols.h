// What a shared object exports.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taskmill/result.h"

namespace taskmill::toolchain {

// Defined dynamic functions and data, demangled: a C++ function shows its parameters, an extern "C" one only its name.
Result<std::vector<std::string>> exported_symbols(const std::filesystem::path& object);

// MissingSymbol unless `object`, compiled from `source` for `label`, exports extern "C" `symbol`.
Result<void> require_symbol(const std::filesystem::path& object, const std::string& symbol, const std::filesystem::path& source,
                            const std::string& label);

}  // namespace taskmill::toolchain
