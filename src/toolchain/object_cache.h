// Compiled objects in a folder, by key. Several processes may use one folder: an entry appears whole or not at all.
//
// Entry file: <folder>/<first two digits of the key>/<key>.object =
//   "taskmill-object 1 <checksum: 32 hex digits> <bytes: decimal>\n" and the object's bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace taskmill::toolchain {

class ObjectCache {
 public:
  explicit ObjectCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The object; nothing if there is none, or if its entry is damaged (the next store replaces it).
  std::optional<std::string> load(const std::string& key) const;
  // A folder that cannot be written costs a warning, not the compilation.
  void store(const std::string& key, std::string_view object) const;
  std::filesystem::path entry_path(const std::string& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace taskmill::toolchain
