#include "driver/device_toy.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace taskmill::toy {
namespace {

const std::vector<std::string> kKernels = {
    "count",     "work",      "climb_spinning", "climb_waiting",      "wait_at_gate", "spin_for_ever",        "raise_segv",
    "raise_bus", "raise_fpe", "raise_ill",      "overflow_the_stack", "count_loads",  "orchestrate_for_ever", "orchestrate_and_die"};

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "toy run: %s\n", result.error().message.c_str());
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace

std::vector<std::byte> object(const std::string& name) {
  std::ifstream file(std::string(TOY_PROGRAMS) + name + ".so", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

Result<LoadedImage> load(Device& device, ImageKind kind, const std::string& name, std::vector<std::string> symbols) {
  const std::vector<std::byte> bytes = object(name);
  return device.load({kind, bytes, name, std::move(symbols)});
}

Toy::Toy(Device& device, uint32_t clusters) : device_(device) {
  aicpu_ = must(load(device, ImageKind::kAicpuProgram, "toy_aicpu"));
  aicore_ = must(load(device, ImageKind::kAicoreProgram, "toy_aicore"));
  kernels_ = must(load(device, ImageKind::kKernel, "toy_kernels", kKernels));
  aicpu_stream_ = must(device.create_stream());
  aicore_stream_ = must(device.create_stream());
  block_.version = wire::kLaunchVersion;
  block_.arch = device.info().arch;
  block_.clusters = clusters != 0 ? clusters : device.info().clusters;
  const uint32_t cores = 3 * block_.clusters;
  block_.registers = must_allocate(cores * sizeof(wire::CoreRegisters));
  block_.region_bytes = region_bytes(cores);
  block_.region = must_allocate(block_.region_bytes);
  block_.result = must_allocate(sizeof(wire::ResultBlock));
  plan_address_ = block_.entry_scalars = must_allocate(sizeof(Plan));
  block_.entry_scalar_count = sizeof(Plan) / sizeof(uint64_t);
  shared_address_ = must_allocate(sizeof(Shared));
  functions_address_ = block_.functions = must_allocate(kKernels.size() * sizeof(uint64_t));
  must(device.fill(block_.registers, 0, cores * sizeof(wire::CoreRegisters), {}));
}

DeviceAddress Toy::must_allocate(uint64_t bytes) { return must(device_.allocate(bytes)); }

void Toy::write(DeviceAddress to, const void* from, uint64_t bytes) {
  must(device_.copy({to, reinterpret_cast<uint64_t>(from), bytes, CopyKind::kHostToDevice}, {}));
}

uint64_t Toy::kernel(const std::string& symbol) {
  for (size_t i = 0; i < kKernels.size(); ++i) {
    if (kKernels[i] == symbol) return kernels_.symbols[i];
  }
  std::abort();
}

void Toy::prepare(uint32_t jobs, const std::string& symbol, uint32_t scheduler_threads) {
  ++block_.run_serial;
  block_.scheduler_threads = scheduler_threads;
  block_.orchestration_entry = 0;
  *plan_ = {};
  *shared_ = {};
  functions_.clear();
  plan_->user = shared_address_;
  add_jobs(jobs, symbol);
}

void Toy::add_jobs(uint32_t jobs, const std::string& symbol, uint32_t after) {
  functions_.push_back(kernel(symbol));
  block_.function_count = static_cast<uint32_t>(functions_.size());
  for (uint32_t i = 0; i < jobs; ++i, ++plan_->jobs) {
    plan_->after[plan_->jobs] = after;
    plan_->function[plan_->jobs] = block_.function_count - 1;
  }
}

// The first launch of a prepared run writes its inputs.
Result<void> Toy::write_inputs() {
  const auto copy_in = [&](DeviceAddress to, const void* from, uint64_t bytes) {
    return device_.copy({to, reinterpret_cast<uint64_t>(from), bytes, CopyKind::kHostToDevice}, {});
  };
  const wire::ResultBlock empty = {};
  TASKMILL_TRY(copy_in(plan_address_, plan_.get(), sizeof(Plan)));
  TASKMILL_TRY(copy_in(shared_address_, shared_.get(), sizeof(Shared)));
  TASKMILL_TRY(copy_in(functions_address_, functions_.data(), functions_.size() * sizeof(uint64_t)));
  return copy_in(block_.result, &empty, sizeof empty);
}

Result<void> Toy::launch_aicpu() {
  return device_.launch({Processor::kAicpu, aicpu_.handle, block_.scheduler_threads + 1, std::as_bytes(std::span(&block_, 1))},
                        aicpu_stream_);
}

Result<void> Toy::launch_aicore() {
  return device_.launch({Processor::kAicore, aicore_.handle, block_.clusters, std::as_bytes(std::span(&block_, 1))}, aicore_stream_);
}

Result<void> Toy::launch() {
  TASKMILL_TRY(write_inputs());
  TASKMILL_TRY(launch_aicore());
  return launch_aicpu();
}

Result<void> Toy::synchronize() {
  TASKMILL_TRY(device_.synchronize(aicpu_stream_, kPatience));
  return device_.synchronize(aicore_stream_, kPatience);
}

Result<void> Toy::run() {
  TASKMILL_TRY(launch());
  return synchronize();
}

wire::ResultBlock Toy::result() {
  wire::ResultBlock result;
  must(device_.copy({reinterpret_cast<uint64_t>(&result), block_.result, sizeof result, CopyKind::kDeviceToHost}, {}));
  return result;
}

Shared Toy::read_shared() {
  Shared shared;
  must(device_.copy({reinterpret_cast<uint64_t>(&shared), shared_address_, sizeof shared, CopyKind::kDeviceToHost}, {}));
  return shared;
}

void Toy::write_gate(uint32_t value) { write(shared_address_ + offsetof(Shared, gate), &value, sizeof value); }

uint32_t Toy::started() const { return __atomic_load_n(&reinterpret_cast<const Shared*>(shared_address_)->started, __ATOMIC_ACQUIRE); }

}  // namespace taskmill::toy
