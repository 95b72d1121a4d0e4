// A child process, started without a shell.
#pragma once

#include <string>
#include <vector>

#include "taskmill/result.h"

namespace taskmill {

struct ProcessResult {
  int exit_code = 0;   // 128 + signal if a signal ended it
  std::string output;  // stdout
  std::string errors;  // stderr
};

// Runs `command` (found on PATH unless it has a slash) with stdin empty and messages in English, and waits for its end.
// IoFailed if it cannot be started; a command that ran and failed is told by its exit code.
Result<ProcessResult> run_process(const std::vector<std::string>& command);

}  // namespace taskmill
