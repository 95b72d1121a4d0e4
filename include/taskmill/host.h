// The C++ host API: a worker owns one device, compiles and registers callables, and runs them.
//
// Thread-safety: a Worker may be used from several threads; runs are serialised. Nothing here throws.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "taskmill/driver.h"
#include "taskmill/orchestration.h"
#include "taskmill/result.h"
#include "taskmill/tensor.h"

namespace taskmill {

// How a run uses a tensor argument: kIn is copied to the device, kOut back from it, kInout both ways.
enum class Direction : uint8_t { kIn, kOut, kInout };

// One tensor argument of a callable's signature. A run's argument must have this dtype, if one is given.
struct ArgumentSignature {
  Direction direction = Direction::kIn;
  std::string name;  // for messages; may be empty
  std::optional<DataType> dtype;
};

struct KernelSource {
  int32_t id = 0;  // what submit_*_task names; 0 to 1,023, unique within the callable
  std::string name;
  std::filesystem::path source;
  CoreType core_type = CoreType::kAiv;
  std::vector<std::string> flags;  // extra compiler flags
};

struct CallableSpec {
  std::string name;
  std::filesystem::path orchestration;       // source file
  std::string function;                      // its entry, extern "C" void (const OrchestrationArgs&)
  std::vector<ArgumentSignature> signature;  // tensor arguments in order
  uint32_t scalar_count = 0;
  std::vector<KernelSource> kernels;
  std::vector<std::string> orchestration_flags;
  DependencyRules dependency_rules = DependencyRules::kNative;
};

// Names a registered callable of one worker: SHA-256 of its compiled parts, its signature and its rules.
struct CallableId {
  std::string digest;  // 64 lower-case hex digits
};

// Host memory that a run reads or writes. Contiguous, row-major. Borrowed until the run returns.
struct HostTensor {
  void* data = nullptr;
  uint64_t bytes = 0;  // size of the memory at `data`
  std::vector<uint32_t> shape;
  DataType dtype = DataType::kFloat32;
};

// A tensor in device memory from Worker::malloc: passed as it is, neither copied in nor back.
struct DeviceTensor {
  DeviceAddress address = 0;
  std::vector<uint32_t> shape;
  DataType dtype = DataType::kFloat32;
};

using Argument = std::variant<HostTensor, DeviceTensor, uint64_t>;  // u64: a scalar's bits

struct WorkerOptions {
  std::string platform = "a2a3sim";
  int32_t device_id = 0;
  std::filesystem::path
      cache_directory;  // of compiled kernels; empty: $TASKMILL_CACHE_DIR, else $XDG_CACHE_HOME/taskmill, else ~/.cache/taskmill
  // Opens the device. Empty: the driver that `platform` names. Tests pass decorated or specially configured devices.
  std::function<Result<std::unique_ptr<Device>>(const std::string& platform, int32_t device_id)> open_device;
};

// A run takes room for its tasks from four sets of rings, by the scope depth of the submit: 0, 1, 2, and 3 with all deeper.
constexpr uint32_t kRingSets = 4;

// A number for each set of rings; one number stands for four equal ones.
class PerRing {
 public:
  constexpr PerRing(uint64_t each = 0) : values_{each, each, each, each} {}
  constexpr PerRing(uint64_t depth_0, uint64_t depth_1, uint64_t depth_2, uint64_t deeper) : values_{depth_0, depth_1, depth_2, deeper} {}
  // REQUIRES: ring < kRingSets.
  constexpr uint64_t operator[](uint32_t ring) const { return values_[ring]; }
  constexpr uint64_t& operator[](uint32_t ring) { return values_[ring]; }
  friend bool operator==(const PerRing&, const PerRing&) = default;

 private:
  std::array<uint64_t, kRingSets> values_;
};

struct RunConfig {
  PerRing task_window;                      // task slots, a power of two ≥ 4; 0: 16,384
  PerRing heap_bytes;                       // output heap, a multiple of 1,024; 0: 256 MiB
  PerRing edge_nodes;                       // overflow edges, ≥ 4; 0: 16,384
  PerRing argument_lines;                   // 64-byte lines, ≥ 4; 0: 16 per task slot
  std::optional<uint64_t> kernel_limit_ns;  // none: 45 s; 0: no limit
  std::optional<uint64_t> stall_limit_ns;   // none: 10 s; 0: no limit
  bool trace = false;
  uint32_t trace_records_per_lane = 0;  // 0: 8,192
};

// One kind of room in one set of rings: the most that was in use at a time, of how much. A run whose ring has the size `enough`,
// everything else equal, ends too, if more slowly.
struct RoomReport {
  uint64_t peak = 0;
  uint64_t size = 0;
  uint64_t enough = 0;
};

struct RingReport {
  RoomReport task_slots;  // peak and size are usable slots, one less than the window; enough is a task_window
  RoomReport argument_lines;
  RoomReport heap_bytes;
  RoomReport edge_nodes;
};

// A span of the timeline. Times are ns on one clock, the driver's.
struct TraceSpan {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  std::string lane;  // "AIC 3", "AIV 17", "Orchestrator", "Host"
  std::string name;  // kernel or phase name
  uint32_t task = 0;
};

struct RunReport {
  uint64_t tasks = 0;
  uint64_t prepare_ns = 0;
  uint64_t copy_in_ns = 0;
  uint64_t execute_ns = 0;
  uint64_t copy_back_ns = 0;
  uint64_t copied_in_bytes = 0;
  uint64_t copied_back_bytes = 0;
  std::array<RingReport, kRingSets> rings;  // by scope depth; the last also for all deeper ones
  std::vector<TraceSpan> spans;             // if RunConfig::trace
  uint64_t dropped_spans = 0;
};

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> open(WorkerOptions options);
  // Closes if still open, ignoring errors.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Releases the device. A second close, and every call after a close: Closed.
  Result<void> close();
  bool is_open() const;
  const DeviceInfo& device_info() const;
  DeviceStatistics statistics() const;

  // Compiles (or takes from the cache) and loads. Errors: InvalidArgument (kernel ids, signature), IoFailed,
  // CompileFailed (with the compiler's file and line), MissingSymbol, LoadFailed.
  Result<CallableId> register_callable(const CallableSpec& spec);

  // Runs once and waits. Device errors carry the code of error.h, and name task, kernel, core or scope.
  Result<RunReport> run(const CallableId& callable, std::span<const Argument> arguments, const RunConfig& config = {});

  // Device memory. `bytes` > 0.
  Result<DeviceAddress> malloc(uint64_t bytes);
  Result<void> free(DeviceAddress address);
  Result<void> copy_to(DeviceAddress destination, const void* source, uint64_t bytes);
  Result<void> copy_from(void* destination, DeviceAddress source, uint64_t bytes);

 private:
  class Impl;
  explicit Worker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Writes spans as Chrome trace JSON, which Perfetto opens.
Result<void> write_trace(const std::filesystem::path& file, std::span<const TraceSpan> spans, uint64_t dropped_spans);

}  // namespace taskmill
