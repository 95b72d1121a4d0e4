#include "toolchain/system_compiler.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "support/subprocess.h"
#include "toolchain/diagnostics.h"

namespace taskmill::toolchain {
namespace {

tl::unexpected<Error> refused(const std::string& label, const ProcessResult& compiler) {
  const std::string_view first = first_error(compiler.errors);
  return fail(ErrorCode::kCompileFailed,
              fmt::format("{}: {}\n{}", label, first.empty() ? fmt::format("the compiler ended with code {}", compiler.exit_code) : first,
                          compiler.errors));
}

std::vector<std::string> command_line(const std::string& command, const Flags& flags) {
  std::vector<std::string> words = {command};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

}  // namespace

Result<SystemCompiler> SystemCompiler::find() {
  const char* wanted = std::getenv("TASKMILL_CXX");
  const std::string command = wanted != nullptr && *wanted != '\0' ? wanted : "g++";
  const Result<ProcessResult> compiler = run_process({command, "--version"});
  if (!compiler || compiler->exit_code != 0) {
    return fail(ErrorCode::kCompileFailed,
                fmt::format("no C++ compiler: \"{}\" cannot be run ({}); install g++ or set TASKMILL_CXX", command,
                            compiler ? fmt::format("exit code {}", compiler->exit_code) : compiler.error().message));
  }
  return SystemCompiler(command, compiler->output.substr(0, compiler->output.find('\n')));
}

Result<std::string> SystemCompiler::resolve(const Flags& flags) const {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::string> resolved;
  const std::vector<std::string> key = command_line(command_, flags);
  const std::lock_guard lock(mutex);
  if (const auto known = resolved.find(key); known != resolved.end()) return known->second;
  TASKMILL_ASSIGN(std::string text, ask_driver(flags));
  return resolved.emplace(key, std::move(text)).first->second;
}

Result<std::string> SystemCompiler::ask_driver(const Flags& flags) const {
  std::vector<std::string> words = command_line(command_, flags);
  words.insert(words.end(), {"-E", "-###", "-x", "c++", "/dev/null"});
  TASKMILL_ASSIGN(const ProcessResult driver, run_process(words));
  if (driver.exit_code != 0) return refused("compiler flags", driver);
  std::istringstream lines(driver.errors);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("cc1plus") != std::string::npos) return line;
  }
  return driver.errors;  // a driver that words it otherwise: everything it said is as good a key
}

Result<std::string> SystemCompiler::preprocess(const std::filesystem::path& source, const Flags& flags, const std::string& label) const {
  std::vector<std::string> words = command_line(command_, flags);
  words.insert(words.end(), {"-E", "-x", "c++", source.string()});
  TASKMILL_ASSIGN(ProcessResult compiler, run_process(words));
  if (compiler.exit_code != 0) return refused(label, compiler);
  return std::move(compiler.output);
}

Result<void> SystemCompiler::build(const std::vector<std::filesystem::path>& preprocessed, const Flags& flags,
                                   const std::filesystem::path& object, const std::string& label) const {
  std::vector<std::string> words = command_line(command_, flags);
  for (const std::filesystem::path& source : preprocessed) words.push_back(source.string());
  words.insert(words.end(), {"-o", object.string()});
  TASKMILL_ASSIGN(const ProcessResult compiler, run_process(words));
  if (compiler.exit_code != 0) return refused(label, compiler);
  return {};
}

}  // namespace taskmill::toolchain
