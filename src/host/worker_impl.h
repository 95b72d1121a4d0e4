// What a worker holds. The public face (worker.cpp) takes the lock; nothing here does.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "host/allocation_table.h"
#include "host/callable_registry.h"
#include "host/host_clock.h"
#include "taskmill/host.h"
#include "toolchain/compiler.h"
#include "variant/tmr/host/run.h"

namespace taskmill {

class Worker::Impl {
 public:
  static Result<std::unique_ptr<Impl>> open(const WorkerOptions& options);
  ~Impl() { close(); }

  // Releases everything, the device last.
  void close();
  // Closed after a close; DeviceLost once the device has failed for good.
  Result<void> require_usable(const char* call) const;

  Result<CallableId> register_callable(const CallableSpec& spec) { return registry_.add(spec); }
  Result<void> unregister_callable(const CallableId& id) { return registry_.remove(id); }
  Result<RunReport> run(const CallableId& id, std::span<const Argument> arguments, const RunConfig& config);
  Result<DeviceAddress> malloc(uint64_t bytes);
  Result<void> free(DeviceAddress address);
  Result<void> copy_to(DeviceAddress destination, const void* source, uint64_t bytes);
  Result<void> copy_from(void* destination, DeviceAddress source, uint64_t bytes);

  bool is_open() const { return device_ != nullptr; }
  const DeviceInfo& info() const { return info_; }
  DeviceStatistics statistics() const { return device_ ? device_->statistics() : DeviceStatistics{}; }

  mutable std::mutex mutex;

 private:
  Impl(std::unique_ptr<Device> device, toolchain::Compiler compiler);
  Result<void> load_programs(const Home& home);
  Result<void> load_program(const Home& home, ImageKind kind, const char* name, const char* arch, Handle* handle);
  Result<tmr::RunBindings> prepare(const Callable& callable, std::span<const Argument> arguments, const RunConfig& config);
  // Everything between bind and release.
  Result<void> carry_out(const Callable& callable, tmr::RunBindings& run, PhaseSpans& phases, RunReport* report);
  Result<void> execute(const Callable& callable, tmr::RunBindings& run, bool* launched, RunReport* report);
  Result<void> read_trace(const Callable& callable, RunReport* report);

  const DeviceInfo info_;
  std::unique_ptr<Device> device_;
  toolchain::Compiler compiler_;
  CallableRegistry registry_;
  AllocationTable allocations_;
  std::vector<tmr::OwnedHandle> program_images_;
  std::unique_ptr<tmr::RunSlot> slot_;
};

}  // namespace taskmill
