#include "support/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

extern char** environ;

namespace taskmill {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Ours with LC_ALL=C, so that a tool's messages do not depend on the user's language.
std::vector<std::string> english_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.emplace_back(*variable);
  }
  variables.emplace_back("LC_ALL=C");
  return variables;
}

int spawn(const std::vector<std::string>& command, const Pipe& output, const Pipe& errors, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end, STDERR_FILENO);
  const std::vector<std::string> variables = english_environment();
  const int error = ::posix_spawnp(child, command[0].c_str(), &actions, nullptr, pointers(command).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Reads both until both end; together, since a child blocks when either is full.
void drain(Pipe& output, Pipe& errors, ProcessResult* result) {
  pollfd ends[2] = {{output.read_end, POLLIN, 0}, {errors.read_end, POLLIN, 0}};
  std::string* texts[2] = {&result->output, &result->errors};
  char buffer[16384];
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t got = ::read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        texts[i]->append(buffer, static_cast<size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        ends[i].fd = -1;
      }
    }
  }
}

Result<int> wait_for(pid_t child, const std::string& name) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      return fail(ErrorCode::kIoFailed, fmt::format("cannot wait for {}: {}", name, std::generic_category().message(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command) {
  Pipe output, errors;
  if (!output.open() || !errors.open()) {
    return fail(ErrorCode::kIoFailed, fmt::format("cannot start {}: {}", command[0], std::generic_category().message(errno)));
  }
  pid_t child = 0;
  if (const int error = spawn(command, output, errors, &child); error != 0) {
    return fail(ErrorCode::kIoFailed, fmt::format("cannot start {}: {}", command[0], std::generic_category().message(error)));
  }
  Pipe::close_end(output.write_end);
  Pipe::close_end(errors.write_end);
  ProcessResult result;
  drain(output, errors, &result);
  TASKMILL_ASSIGN(result.exit_code, wait_for(child, command[0]));
  return result;
}

}  // namespace taskmill
