// Whole files. Errors are IoFailed with the path and the system's reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "taskmill/result.h"

namespace taskmill {

Result<std::string> read_file(const std::filesystem::path& path);

// Readers of `path` see the old contents or the new, never a part: written beside it, then renamed over it. Makes the
// folders above it. The last of several writers wins.
Result<void> replace_file(const std::filesystem::path& path, std::string_view contents);

// A new empty folder below the system's temporary folder, removed with all it holds when this ends.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(std::string_view prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&& other) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace taskmill
