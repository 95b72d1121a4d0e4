// Where this installation's files for device code lie.
#pragma once

#include <filesystem>
#include <string>

#include "taskmill/result.h"

namespace taskmill {

struct Home {
  std::filesystem::path root;
  std::filesystem::path include() const { return root / "include"; }                              // taskmill/kernel.h, ...
  std::filesystem::path device() const { return root / "device"; }                                // device programs
  std::filesystem::path support() const { return root / "support"; }                              // sources linked into user objects
  std::filesystem::path device_program(const std::string& kind, const std::string& arch) const {  // kind: "aicpu", "aicore"
    return device() / ("taskmill_" + kind + "_" + arch + ".so");
  }
};

// The first of these that holds include/taskmill/kernel.h: $TASKMILL_HOME (alone, if set), else `given` (alone, if not empty), then
// places relative to the file that holds this code (an installed extension, library or program), then the build tree. IoFailed names
// all that were tried.
Result<Home> find_home(const std::filesystem::path& given = {});

}  // namespace taskmill
