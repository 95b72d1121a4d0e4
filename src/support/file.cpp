#include "support/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace taskmill {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

tl::unexpected<Error> io_failed(const char* doing, const std::filesystem::path& path, int error) {
  return fail(ErrorCode::kIoFailed, fmt::format("cannot {} {}: {}", doing, path.string(), reason(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // False with errno set if the last data could not be written.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) contents.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return io_failed("open", path, errno);
  struct stat about = {};
  if (::fstat(file.get(), &about) != 0) return io_failed("read", path, errno);
  if (S_ISDIR(about.st_mode)) return io_failed("read", path, EISDIR);
  std::string contents(static_cast<size_t>(about.st_size), '\0');
  size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got = ::read(file.get(), contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno != EINTR) return io_failed("read", path, errno);
    if (got == 0) break;
    if (got > 0) filled += static_cast<size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view contents) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return io_failed("make the folder of", path, error.value());
  std::string beside = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(beside.data(), O_CLOEXEC));
  if (file.get() < 0) return io_failed("write", path, errno);
  const bool written =
      ::fchmod(file.get(), 0644) == 0 && write_all(file.get(), contents) && file.close() && ::rename(beside.c_str(), path.c_str()) == 0;
  if (written) return {};
  const int why = errno;
  ::unlink(beside.c_str());
  return io_failed("write", path, why);
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) return fail(ErrorCode::kIoFailed, "the temporary folder (TMPDIR) cannot be used: " + error.message());
  std::string pattern = (base / fmt::format("{}XXXXXX", prefix)).string();
  if (::mkdtemp(pattern.data()) == nullptr) return io_failed("make a temporary folder in", base, errno);
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace taskmill
