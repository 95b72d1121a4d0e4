// The system's C++ compiler: $TASKMILL_CXX, else g++.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taskmill/result.h"

namespace taskmill::toolchain {

using Flags = std::vector<std::string>;

class SystemCompiler {
 public:
  // Asks for the version. CompileFailed if there is no such compiler.
  static Result<SystemCompiler> find();

  const std::string& command() const { return command_; }
  const std::string& version() const { return version_; }

  // The flags as the compiler's driver hands them to the compiler proper: -march=native is written out for this CPU. Resolved
  // once per process for each compiler and flag set.
  Result<std::string> resolve(const Flags& flags) const;
  // The source after preprocessing, line markers included. `label` names what it is for.
  Result<std::string> preprocess(const std::filesystem::path& source, const Flags& flags, const std::string& label) const;
  // Builds a shared object from preprocessed sources (files that end in .ii).
  Result<void> build(const std::vector<std::filesystem::path>& preprocessed, const Flags& flags, const std::filesystem::path& object,
                     const std::string& label) const;

 private:
  SystemCompiler(std::string command, std::string version) : command_(std::move(command)), version_(std::move(version)) {}
  Result<std::string> ask_driver(const Flags& flags) const;

  std::string command_;
  std::string version_;
};

}  // namespace taskmill::toolchain
