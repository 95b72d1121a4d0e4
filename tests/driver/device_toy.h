// A toy run on a Device: programs and kernels loaded from the objects beside the tests, memory from the device.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/programs/kernels.h"
#include "driver/toy_program.h"
#include "taskmill/driver.h"

namespace taskmill::toy {

// For waits that end: long enough for the slowest sanitizer, never the measure of anything.
constexpr std::chrono::milliseconds kPatience{60'000};

// The bytes of an object of tests/driver/programs.
std::vector<std::byte> object(const std::string& name);
Result<LoadedImage> load(Device& device, ImageKind kind, const std::string& name, std::vector<std::string> symbols = {});

// What every toy run on a device needs; made once per device. Failures end the test program: they are not what is tested.
class Toy {
 public:
  explicit Toy(Device& device, uint32_t clusters = 0);
  Toy(const Toy&) = delete;
  Toy& operator=(const Toy&) = delete;

  // A new run of `jobs` jobs of one kernel, its memory laid out and written. `symbol` as in programs/kernels.cpp.
  void prepare(uint32_t jobs, const std::string& symbol, uint32_t scheduler_threads = 1);
  // Adds jobs of another kernel to the prepared run, which start when `after` jobs are done.
  void add_jobs(uint32_t jobs, const std::string& symbol, uint32_t after = 0);
  Plan& plan() { return *plan_; }        // written to the device by launch
  Shared& shared() { return *shared_; }  // likewise
  wire::LaunchBlock& block() { return block_; }

  Result<void> launch_aicpu();
  Result<void> launch_aicore();
  Result<void> launch();  // AICore first
  Result<void> synchronize();
  Result<void> run();  // launch and synchronize

  wire::ResultBlock result();
  Shared read_shared();
  void write_gate(uint32_t value);
  // Kernels of a running run that began: read from the simulator's memory at once.
  uint32_t started() const;
  uint64_t kernel(const std::string& symbol);

  Handle aicpu_stream() const { return aicpu_stream_; }
  Handle aicore_stream() const { return aicore_stream_; }
  Handle aicpu_image() const { return aicpu_.handle; }
  Handle aicore_image() const { return aicore_.handle; }
  DeviceAddress shared_address() const { return shared_address_; }
  DeviceAddress registers_address() const { return block_.registers; }

 private:
  DeviceAddress must_allocate(uint64_t bytes);
  void write(DeviceAddress to, const void* from, uint64_t bytes);
  Result<void> write_inputs();

  Device& device_;
  LoadedImage aicpu_, aicore_, kernels_;
  Handle aicpu_stream_, aicore_stream_;
  DeviceAddress plan_address_, shared_address_, functions_address_, region_address_;
  std::vector<uint64_t> functions_;
  std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
  wire::LaunchBlock block_ = {};
};

}  // namespace taskmill::toy
