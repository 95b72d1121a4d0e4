#include "toolchain/object_cache.h"

#include <fmt/format.h>

#include "support/digest.h"
#include "support/file.h"
#include "support/log.h"

namespace taskmill::toolchain {
namespace {

std::string header_of(std::string_view object) { return fmt::format("taskmill-object 1 {} {}\n", checksum(object), object.size()); }

}  // namespace

std::filesystem::path ObjectCache::entry_path(const std::string& key) const { return folder_ / key.substr(0, 2) / (key + ".object"); }

std::optional<std::string> ObjectCache::load(const std::string& key) const {
  std::error_code error;
  const std::filesystem::path path = entry_path(key);
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  Result<std::string> entry = read_file(path);
  if (!entry) return std::nullopt;
  const size_t header_bytes = entry->find('\n') + 1;  // 0 if there is none
  const std::string_view object = std::string_view(*entry).substr(header_bytes);
  if (header_bytes == 0 || std::string_view(*entry).substr(0, header_bytes) != header_of(object)) {
    log::warn(fmt::format("{} is damaged and will be built again", path.string()));
    return std::nullopt;
  }
  return std::string(object);
}

void ObjectCache::store(const std::string& key, std::string_view object) const {
  std::string entry = header_of(object);
  entry += object;
  if (const Result<void> stored = replace_file(entry_path(key), entry); !stored) {
    log::warn("a compiled object was not kept: " + stored.error().message);
  }
}

}  // namespace taskmill::toolchain
