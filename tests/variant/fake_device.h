// A device that runs nothing, counts everything, and fails when told to. Its memory is the process's. An AICPU launch "runs" by
// calling `program` on the result block; then all is complete.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "arch/a2a3.h"
#include "taskmill/driver.h"
#include "wire/launch_block.h"
#include "wire/run_error.h"

namespace taskmill::testing_support {

class FakeDevice : public Device {
 public:
  struct Launched {
    Processor processor;
    Handle stream;
    wire::LaunchBlock block;
  };

  FakeDevice()
      : Device({.platform = "fake",
                .arch = static_cast<uint32_t>(arch::kA2a3.id),
                .clusters = arch::kA2a3.clusters,
                .cores = arch::kA2a3.cores(),
                .aicpu_threads = 4,
                .memory_bytes = uint64_t{1} << 30,
                .runs_programs = true}) {}
  ~FakeDevice() override {
    for (const auto& [address, bytes] : memory) std::free(reinterpret_cast<void*>(address));
  }

  // ---- what tests set
  std::function<void(const wire::LaunchBlock&, wire::ResultBlock*)> program =
      [](const wire::LaunchBlock& launch, wire::ResultBlock* result) { result->run_serial = launch.run_serial; };
  uint64_t fail_call = 0;  // the number of the call that fails, from 1; 0: none
  std::function<Result<void>(Handle)> on_synchronize = [](Handle) { return Result<void>(); };
  std::function<bool(Handle)> complete = [](Handle) { return true; };  // what a query tells
  bool can_abandon = true;

  // ---- what tests look at
  std::map<DeviceAddress, uint64_t> memory;  // live, by address
  std::vector<Copy> copies;
  std::vector<Launched> launches;
  std::vector<std::pair<Handle, Handle>> records;  // event, stream
  std::vector<Handle> synchronized;
  std::set<uint64_t> live_handles;
  std::vector<std::string> abandoned;
  uint64_t calls = 0;
  uint64_t allocations = 0;
  uint64_t releases = 0;

  // Copies of one kind whose device side is `address`.
  int copies_at(CopyKind kind, DeviceAddress address) const {
    int count = 0;
    for (const Copy& copy : copies) {
      if (copy.kind == kind && (kind == CopyKind::kHostToDevice ? copy.destination : copy.source) == address) ++count;
    }
    return count;
  }

  Result<DeviceAddress> allocate(uint64_t bytes) override {
    TASKMILL_TRY(count("allocate"));
    if (bytes > info().memory_bytes) return fail(ErrorCode::kOutOfDeviceMemory, "no room");
    const auto address = reinterpret_cast<DeviceAddress>(std::aligned_alloc(1024, (bytes + 1023) / 1024 * 1024));
    memory[address] = bytes;
    ++allocations;
    return address;
  }
  Result<void> release(DeviceAddress address) override {
    TASKMILL_TRY(count("release"));
    if (memory.erase(address) == 0) return fail(ErrorCode::kNotADeviceAddress, "no such allocation");
    std::free(reinterpret_cast<void*>(address));
    ++releases;
    return {};
  }
  Result<void> copy(const Copy& copy, Handle) override {
    TASKMILL_TRY(count("copy"));
    copies.push_back(copy);
    if (copy.bytes != 0) std::memcpy(reinterpret_cast<void*>(copy.destination), reinterpret_cast<void*>(copy.source), copy.bytes);
    return {};
  }
  Result<Handle> create_stream() override { return create(HandleKind::kStream); }
  Result<Handle> create_event() override { return create(HandleKind::kEvent); }
  Result<void> destroy(Handle handle) override {
    TASKMILL_TRY(count("destroy"));
    if (live_handles.erase(handle.id) == 0) return fail(ErrorCode::kStaleHandle, "no such handle");
    return {};
  }
  Result<bool> query(Handle handle) override { return complete(handle); }
  Result<void> synchronize(Handle handle, std::chrono::milliseconds) override {
    TASKMILL_TRY(count("synchronize"));
    synchronized.push_back(handle);
    return on_synchronize(handle);
  }
  Result<void> record(Handle event, Handle stream) override {
    TASKMILL_TRY(count("record"));
    records.emplace_back(event, stream);
    return {};
  }
  Result<void> wait(Handle, Handle) override { return {}; }
  Result<LoadedImage> load(const Image& image) override {
    TASKMILL_TRY(count("load"));
    TASKMILL_ASSIGN(const Handle handle, create(HandleKind::kImage));
    return LoadedImage{handle, std::vector<uint64_t>(image.symbols.size(), 1)};
  }
  Result<void> launch(const Launch& launch, Handle stream) override {
    TASKMILL_TRY(count("launch"));
    wire::LaunchBlock block;
    std::memcpy(&block, launch.arguments.data(), sizeof block);
    launches.push_back({launch.processor, stream, block});
    if (launch.processor == Processor::kAicpu) program(block, reinterpret_cast<wire::ResultBlock*>(block.result));
    return {};
  }
  Result<void> abandon(const std::string& reason) override {
    if (!can_abandon) return fail(ErrorCode::kUnsupported, "cannot abandon");
    abandoned.push_back(reason);
    return {};
  }
  DeviceStatistics statistics() const override {
    DeviceStatistics statistics;
    statistics.live_allocations = memory.size();
    return statistics;
  }

 private:
  Result<void> count(const char* call) {
    if (++calls == fail_call) return fail(ErrorCode::kDeviceFault, std::string("told to fail: ") + call);
    return {};
  }
  Result<Handle> create(HandleKind kind) {
    TASKMILL_TRY(count("create"));
    live_handles.insert(++last_handle_);
    return Handle{kind, last_handle_};
  }

  uint64_t last_handle_ = 0;
};

}  // namespace taskmill::testing_support
