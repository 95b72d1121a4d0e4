// What a shared object exports.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "taskmill/result.h"

namespace taskmill::toolchain {

// Strongly defined dynamic symbols of a 64-bit little-endian ELF object, sorted, as the linker spells them. Bytes that are no such
// object: LoadFailed.
Result<std::vector<std::string>> exported_symbols(std::string_view object);

// MissingSymbol unless `object`, compiled from `source` for `label`, exports extern "C" `symbol`.
Result<void> require_symbol(std::string_view object, const std::string& symbol, const std::filesystem::path& source,
                            const std::string& label);

}  // namespace taskmill::toolchain
