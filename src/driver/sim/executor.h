// What runs the device programs of one simulated device. The device hands over runs whose halves its streams have reached.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "taskmill/driver.h"
#include "wire/program.h"

namespace taskmill::sim {

// One run: what to run, and where its two halves tell that they ended. Thread-safe.
class RunTicket {
 public:
  struct Program {
    const wire::AicpuEntry* entry = nullptr;       // null: no AICPU half
    const wire::AicoreProgram* program = nullptr;  // null: no AICore half
    wire::LaunchBlock launch = {};
    std::vector<std::shared_ptr<const void>> kept_alive;  // memory and images that the run's threads touch
  };

  explicit RunTicket(Program program) : program_(std::move(program)) {}

  const Program& program() const { return program_; }
  // The first end of a half counts. An empty fault: it ended well.
  void end(Processor half, const std::string& fault);
  void end_both(const std::string& fault);
  // Waits for the end of a half; its fault.
  std::string wait(Processor half) const;

 private:
  const Program program_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<std::string> ended_[2];  // by Processor
};

class Executor {
 public:
  // REQUIRES: every run has ended.
  virtual ~Executor() = default;
  // Runs it, in this call or after it; in the end both halves that it has are told so. Called by a stream's thread.
  virtual void start(std::shared_ptr<RunTicket> run) = 0;
  // Somebody else wrote to registers of running cores.
  virtual void poke() = 0;
  // Ends every run, and those that come later. Threads in kernels that do not return are left behind, parked.
  virtual void abandon(const std::string& reason) = 0;
  virtual uint64_t now_ns() const = 0;
  virtual uint32_t threads() const = 0;
  virtual uint32_t threads_peak() const = 0;
};

}  // namespace taskmill::sim
