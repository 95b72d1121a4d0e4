// The memory of one toy run, in host memory, and its launch block.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "driver/toy_program.h"

namespace taskmill::toy {

class ToyRun {
 public:
  using Kernel = void (*)(int64_t*);

  explicit ToyRun(uint32_t clusters, uint32_t scheduler_threads = 1)
      : registers_(3 * clusters), region_(region_bytes(3 * clusters) / sizeof(Line) + 1), plan_(std::make_unique<Plan>()) {
    launch_.version = wire::kLaunchVersion;
    launch_.arch = 1;
    launch_.run_serial = 1;
    launch_.clusters = clusters;
    launch_.scheduler_threads = scheduler_threads;
    launch_.registers = reinterpret_cast<uint64_t>(registers_.data());
    launch_.region = reinterpret_cast<uint64_t>(region_.data());
    launch_.region_bytes = region_.size() * sizeof(Line);
    launch_.entry_scalars = reinterpret_cast<uint64_t>(plan_.get());
    launch_.result = reinterpret_cast<uint64_t>(&result_);
  }
  ToyRun(const ToyRun&) = delete;
  ToyRun& operator=(const ToyRun&) = delete;

  // `count` more jobs that run `kernel`; each starts when `after` jobs are done.
  void add_jobs(uint32_t count, Kernel kernel, uint32_t after = 0) {
    functions_.push_back(reinterpret_cast<uint64_t>(kernel));
    launch_.functions = reinterpret_cast<uint64_t>(functions_.data());
    launch_.function_count = static_cast<uint32_t>(functions_.size());
    for (uint32_t i = 0; i < count; ++i, ++plan_->jobs) {
      plan_->after[plan_->jobs] = after;
      plan_->function[plan_->jobs] = launch_.function_count - 1;
    }
  }
  void set_user(void* user) { plan_->user = reinterpret_cast<uint64_t>(user); }

  Plan& plan() { return *plan_; }
  wire::LaunchBlock& launch() { return launch_; }
  const wire::ResultBlock& result() const { return result_; }

 private:
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<wire::CoreRegisters> registers_;
  std::vector<Line> region_;
  std::unique_ptr<Plan> plan_;
  std::vector<uint64_t> functions_;
  wire::ResultBlock result_ = {};
  wire::LaunchBlock launch_ = {};
};

}  // namespace taskmill::toy
