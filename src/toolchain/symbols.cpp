#include "toolchain/symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/checked.h"
#include "wire/program.h"

namespace taskmill::toolchain {
namespace {

constexpr size_t kNamed = 8;  // exported symbols that a message lists

// Record `index` of the table at `offset`, if it lies inside the object.
template <class T>
std::optional<T> record(std::string_view object, uint64_t offset, uint64_t index) {
  uint64_t place = 0;
  if (!checked_mul(index, sizeof(T), &place) || !checked_add(place, offset, &place) || !range_fits(place, sizeof(T), object.size()))
    return {};
  T value;
  std::memcpy(&value, object.data() + place, sizeof value);
  return value;
}

// The zero-terminated text at `offset` of a string section; empty if it does not lie there.
std::string_view text_at(std::string_view object, const Elf64_Shdr& strings, uint64_t offset) {
  if (!range_fits(strings.sh_offset, strings.sh_size, object.size()) || offset >= strings.sh_size) return {};
  const std::string_view text = object.substr(strings.sh_offset + offset, strings.sh_size - offset);
  return text.substr(0, text.find('\0'));
}

// Weak symbols are inline functions of headers, no entries.
bool is_export(const Elf64_Sym& symbol) { return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL; }

std::optional<Elf64_Shdr> dynamic_symbol_section(std::string_view object, const Elf64_Ehdr& header) {
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = record<Elf64_Shdr>(object, header.e_shoff, i);
    if (!section) return {};
    if (section->sh_type == SHT_DYNSYM) return section;
  }
  return {};
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return text != nullptr ? std::string(text.get()) : name;
}

// What the user's source exports; the support source's runner is not the user's.
std::string listed(const std::vector<std::string>& exported) {
  std::string text;
  size_t named = 0;
  for (const std::string& name : exported) {
    if (name == wire::kOrchestrationRunSymbol) continue;
    if (named++ < kNamed) text += (text.empty() ? "" : ", ") + demangled(name);
  }
  if (named > kNamed) text += fmt::format(" and {} more", named - kNamed);
  return text.empty() ? "nothing" : text;
}

}  // namespace

Result<std::vector<std::string>> exported_symbols(std::string_view object) {
  const auto header = record<Elf64_Ehdr>(object, 0, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail(ErrorCode::kLoadFailed, "not a 64-bit ELF object");
  }
  const auto table = dynamic_symbol_section(object, *header);
  const auto strings = table ? record<Elf64_Shdr>(object, header->e_shoff, table->sh_link) : std::nullopt;
  if (!strings) return fail(ErrorCode::kLoadFailed, "an ELF object without dynamic symbols");
  std::vector<std::string> names;
  for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = record<Elf64_Sym>(object, table->sh_offset, i);
    if (!symbol) return fail(ErrorCode::kLoadFailed, "an ELF object that is cut short");
    if (is_export(*symbol)) names.emplace_back(text_at(object, *strings, symbol->st_name));
  }
  std::ranges::sort(names);
  return names;
}

Result<void> require_symbol(std::string_view object, const std::string& symbol, const std::filesystem::path& source,
                            const std::string& label) {
  Result<std::vector<std::string>> exported = exported_symbols(object);
  if (!exported) return fail(std::move(exported).error(), label);
  if (std::ranges::find(*exported, symbol) != exported->end()) return {};
  const bool mangled = std::ranges::any_of(*exported, [&](const std::string& name) { return demangled(name).starts_with(symbol + "("); });
  return fail(ErrorCode::kMissingSymbol, fmt::format("{}: {} does not export \"{}\"{}; it exports {}", label, source.string(), symbol,
                                                     mangled ? " with C linkage (write extern \"C\" before it)" : "", listed(*exported)));
}

}  // namespace taskmill::toolchain
