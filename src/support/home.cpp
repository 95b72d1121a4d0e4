#include "support/home.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace taskmill {
namespace {

namespace fs = std::filesystem;

// Relative to the folder of the object that holds this code.
constexpr const char* kInstalledPlaces[] = {
    ".",                   // the Python package that holds the extension
    "taskmill",            // beside a library: lib/libtaskmill.so, lib/taskmill
    "../lib/taskmill",     // a program: bin/program, lib/taskmill
    "../share/taskmill",   // likewise, where data is kept apart
    "../../lib/taskmill",  // lib/<triplet>/libtaskmill.so
};

fs::path own_folder() {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<const void*>(&find_home), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : file.parent_path();
}

bool is_home(const fs::path& root) {
  std::error_code error;
  return fs::exists(root / "include" / "taskmill" / "kernel.h", error);
}

std::vector<fs::path> candidates(const fs::path& given) {
  if (const char* wanted = std::getenv("TASKMILL_HOME"); wanted != nullptr && *wanted != '\0') return {wanted};
  if (!given.empty()) return {given};
  std::vector<fs::path> places;
  if (const fs::path folder = own_folder(); !folder.empty()) {
    for (const char* place : kInstalledPlaces) places.push_back((folder / place).lexically_normal());
  }
#ifdef TASKMILL_BUILD_HOME
  places.emplace_back(TASKMILL_BUILD_HOME);
#endif
  return places;
}

}  // namespace

Result<Home> find_home(const fs::path& given) {
  std::string tried;
  for (const fs::path& place : candidates(given)) {
    if (is_home(place)) return Home{place};
    tried += "\n  " + place.string();
  }
  return fail(
      ErrorCode::kIoFailed,
      fmt::format("no Taskmill installation found (a folder with include/taskmill/kernel.h; set TASKMILL_HOME to it); tried:{}", tried));
}

}  // namespace taskmill
