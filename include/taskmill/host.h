/// @file
/// The C++ host API: a worker owns one device, compiles and registers callables, and runs them. `examples/cpp_host` is a whole program;
/// `cmake/taskmill-config.cmake` says how to link one.
///
/// Errors: nothing here throws. A call that can fail returns a Result; its Error has a code of error.h (docs/errors.md says what to do)
/// and a message that names the argument, kernel or task and the numbers.
///
/// Threads: a Worker may be used from several threads. Calls on one worker are serialised, so a run makes the others wait; workers
/// run beside each other.
///
/// Ownership: a worker owns its device, what is registered with it and the memory that its malloc gave; closing it releases all three.
/// Host memory is the caller's, and is borrowed until the call returns.
///
/// Every field of an argument has a default, so that `{.platform = "a5sim"}` names only what differs from it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "taskmill/driver.h"
#include "taskmill/orchestration.h"
#include "taskmill/result.h"
#include "taskmill/tensor.h"

namespace taskmill {

/// How a run uses a tensor argument: kIn is copied to the device before it, kOut back after it, kInout both ways. What a kOut tensor
/// held before never reaches the device; nothing is copied back by a run that fails.
enum class Direction : uint8_t { kIn, kOut, kInout };

/// One tensor argument of a callable's signature.
struct ArgumentSignature {
  Direction direction = Direction::kIn;  ///< who copies it when
  std::string name = {};                 ///< for messages; may be empty
  std::optional<DataType> dtype = {};    ///< a run's argument must have it, else ArgumentType; none: any dtype
};

/// A C++ source that exports a kernel, `extern "C" void kernel_entry(int64_t* args)` (kernel.h).
struct KernelSource {
  int32_t id = 0;                       ///< what submit_*_task names; 0 to 1,023, unique within the callable
  std::string name = {};                ///< for messages and the timeline
  std::filesystem::path source = {};    ///< relative to the working directory of the process
  CoreType core_type = CoreType::kAiv;  ///< cube or vector core
  std::vector<std::string> flags = {};  ///< extra compiler flags, after `-O3 -march=native`
};

/// What a user registers: an orchestration with its kernels and the signature of a run.
struct CallableSpec {
  std::string name = {};                              ///< for messages
  std::filesystem::path orchestration = {};           ///< source file; relative to the working directory of the process
  std::string function = {};                          ///< its entry, `extern "C" void (const OrchestrationArgs&)` (orchestration.h)
  std::vector<ArgumentSignature> signature = {};      ///< tensor arguments in order, at most kMaxEntryTensors
  uint32_t scalar_count = 0;                          ///< scalar arguments, which follow the tensors; at most kMaxEntryScalars
  std::vector<KernelSource> kernels = {};             ///< what the orchestration can submit
  std::vector<std::string> orchestration_flags = {};  ///< extra compiler flags of the orchestration
  DependencyRules dependency_rules = DependencyRules::kNative;  ///< which earlier accesses a task follows
};

/// Names a registered callable of one worker: SHA-256 of its compiled parts, its signature and its rules.
struct CallableId {
  std::string digest = {};  ///< 64 lower-case hex digits
};

/// Host memory that a run reads or writes: contiguous, row-major. Borrowed until the run returns. The same memory may be given twice;
/// two tensors that overlap in part, one of them written, are refused (OverlappingArguments).
struct HostTensor {
  void* data = nullptr;                 ///< first element; a kIn argument is only read
  uint64_t bytes = 0;                   ///< size of the memory at `data`; less than shape and dtype need: BufferTooShort
  std::vector<uint32_t> shape = {};     ///< elements by dimension, outermost first; 1 to kMaxDims of them
  DataType dtype = DataType::kFloat32;  ///< of one element
};

/// A row-major tensor in device memory from Worker::malloc: passed as it is, neither copied in nor back. A run refuses one that does
/// not lie in a live allocation of its worker (NotADeviceAddress).
struct DeviceTensor {
  DeviceAddress address = 0;            ///< of the first element
  std::vector<uint32_t> shape = {};     ///< elements by dimension, outermost first; 1 to kMaxDims of them
  DataType dtype = DataType::kFloat32;  ///< of one element
};

/// An argument of a run. A scalar is 64 bits: `to_u64(2.0f)` is read with `args.scalar<float>(i)`.
using Argument = std::variant<HostTensor, DeviceTensor, uint64_t>;

/// The DataType of a C++ type: float, bool, and integers of 8 to 64 bits. The narrower floats have no C++20 type; name their DataType.
template <class T>
constexpr DataType data_type_of() {
  static_assert(std::is_same_v<T, float> || std::is_integral_v<T>, "no DataType for this C++ type");
  if constexpr (std::is_same_v<T, float>) return DataType::kFloat32;
  if constexpr (std::is_same_v<T, bool>) return DataType::kBool;
  constexpr DataType kSigned[] = {DataType::kInt8, DataType::kInt16, DataType::kInt32, DataType::kInt64};
  constexpr DataType kUnsigned[] = {DataType::kUint8, DataType::kUint16, DataType::kUint32, DataType::kUint64};
  constexpr int kWidth = std::countr_zero(sizeof(T));
  return std::is_signed_v<T> ? kSigned[kWidth] : kUnsigned[kWidth];
}

/// A HostTensor over the elements of a vector, an array or a span, which stays the caller's: `host_tensor(values, {rows, columns})`.
/// Without a shape it has one dimension, of all elements. A const range is for kIn arguments.
template <std::ranges::contiguous_range Range>
HostTensor host_tensor(Range& values, std::vector<uint32_t> shape = {}) {
  using Element = std::ranges::range_value_t<Range>;
  const auto count = std::ranges::size(values);
  if (shape.empty()) shape.push_back(static_cast<uint32_t>(count));
  return {const_cast<Element*>(std::ranges::data(values)), count * sizeof(Element), std::move(shape), data_type_of<Element>()};
}

/// Which device a worker opens, and where compiled programs are kept.
struct WorkerOptions {
  std::string platform = "a2a3sim";  ///< a chip with a driver: a2a3sim, a5sim
  int32_t device_id = 0;             ///< numbers the devices of a platform, from 0
  /// Of compiled kernels; empty: $TASKMILL_CACHE_DIR, else $XDG_CACHE_HOME/taskmill, else ~/.cache/taskmill.
  std::filesystem::path cache_directory = {};
  /// The installation whose headers and device programs are used; $TASKMILL_HOME comes before it. Empty: the one that this program, or
  /// the Python package, is part of. CMake's target taskmill::taskmill defines TASKMILL_HOME_FOLDER for it.
  std::filesystem::path home = {};
  /// Opens the device. Empty: the driver that `platform` names. For a device of one's own, decorated or specially configured.
  std::function<Result<std::unique_ptr<Device>>(const std::string& platform, int32_t device_id)> open_device = {};
};

/// A run takes room for its tasks from four sets of rings, by the scope depth of the submit: 0, 1, 2, and 3 with all deeper.
constexpr uint32_t kRingSets = 4;

/// A number for each set of rings; one number stands for four equal ones.
class PerRing {
 public:
  /// `each` for every set; or by scope depth, `deeper` for 3 and all deeper.
  constexpr PerRing(uint64_t each = 0) : values_{each, each, each, each} {}
  constexpr PerRing(uint64_t depth_0, uint64_t depth_1, uint64_t depth_2, uint64_t deeper) : values_{depth_0, depth_1, depth_2, deeper} {}
  /// The number of one set. REQUIRES: ring < kRingSets.
  constexpr uint64_t operator[](uint32_t ring) const { return values_[ring]; }
  constexpr uint64_t& operator[](uint32_t ring) { return values_[ring]; }
  friend bool operator==(const PerRing&, const PerRing&) = default;

 private:
  std::array<uint64_t, kRingSets> values_;
};

/// How one run is carried out. A value outside its range: InvalidArgument, naming field, scope depth and range.
struct RunConfig {
  PerRing task_window = {};                      ///< task slots, a power of two from 4; 0: 16,384
  PerRing heap_bytes = {};                       ///< output heap, a multiple of 1,024; 0: 256 MiB
  PerRing edge_nodes = {};                       ///< overflow edges, from 4; 0: 16,384
  PerRing argument_lines = {};                   ///< 64-byte lines, from 4; 0: 16 per task slot
  std::optional<uint64_t> kernel_limit_ns = {};  ///< longest run of one kernel; none: 45 s; 0: no limit
  std::optional<uint64_t> stall_limit_ns = {};   ///< longest time without a completion; none: 10 s; 0: no limit
  bool trace = false;                            ///< record the timeline into RunReport::spans
  uint32_t trace_records_per_lane = 0;           ///< room for spans of one core; 0: 8,192
};

/// One kind of room in one set of rings: the most that was in use at a time, of how much. A run whose ring has the size `enough`,
/// everything else equal, ends too, if more slowly.
struct RoomReport {
  uint64_t peak = 0;    ///< most in use at a time
  uint64_t size = 0;    ///< what there was
  uint64_t enough = 0;  ///< what would have been enough
};

/// Use of the rings of one scope depth.
struct RingReport {
  RoomReport task_slots;      ///< peak and size are usable slots, one less than the window; enough is a task_window
  RoomReport argument_lines;  ///< in 64-byte lines
  RoomReport heap_bytes;      ///< in bytes of the output heap
  RoomReport edge_nodes;      ///< in overflow edges
};

/// A span of the timeline. Times are ns on one clock, the driver's.
struct TraceSpan {
  uint64_t start_ns = 0;  ///< when it began
  uint64_t end_ns = 0;    ///< when it ended
  std::string lane;       ///< "AIC 3", "AIV 17", "Orchestrator", "Host"
  std::string name;       ///< kernel or phase name
  uint32_t task = 0;      ///< of a kernel: which task of its scope depth it ran, in the order of submits
};

/// What a run did and how long its phases took, in ns on the host's clock.
struct RunReport {
  uint64_t tasks = 0;                       ///< tasks that completed: all that were submitted
  uint64_t prepare_ns = 0;                  ///< checking the arguments, laying out the run
  uint64_t copy_in_ns = 0;                  ///< copying inputs to the device
  uint64_t execute_ns = 0;                  ///< from the launch to the last task's end
  uint64_t copy_back_ns = 0;                ///< copying outputs to the host
  uint64_t copied_in_bytes = 0;             ///< bytes copied to the device; memory given twice counts once
  uint64_t copied_back_bytes = 0;           ///< bytes copied back
  std::array<RingReport, kRingSets> rings;  ///< by scope depth; the last also for all deeper ones
  std::vector<TraceSpan> spans;             ///< if RunConfig::trace
  uint64_t dropped_spans = 0;               ///< spans that found no room in trace_records_per_lane
};

/// One device, and what runs on it.
class Worker {
 public:
  /// Opens a device. InvalidArgument: no such platform, or a negative device_id; Unsupported: hardware without a driver in this build;
  /// IoFailed: no installation, or one without device programs; LoadFailed: device programs of another version.
  static Result<std::unique_ptr<Worker>> open(WorkerOptions options);
  /// Closes if still open, ignoring errors.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Releases the device with everything on it. A second close, and every call after a close that returns a Result: Closed.
  Result<void> close();
  /// False after close.
  bool is_open() const;
  /// What the device is; also after close.
  const DeviceInfo& device_info() const;
  /// What the device holds and has done; all 0 after close.
  DeviceStatistics statistics() const;

  /// Compiles (or takes from the cache) and loads. The same parts, signature and rules again give the same id, load nothing, and are
  /// one registration more.
  /// InvalidArgument: kernel ids, signature or counts; IoFailed: a source that cannot be read; CompileFailed, with the compiler's file
  /// and line; MissingSymbol: a function that is not exported; LoadFailed; DeviceLost.
  Result<CallableId> register_callable(const CallableSpec& spec);
  /// Takes one registration back; with the last one the callable is unloaded and its id unknown. UnknownCallable.
  Result<void> unregister_callable(const CallableId& callable);

  /// Runs once and waits: the tensors of the signature in order, then the scalars. Kernels' outputs are in the caller's memory when it
  /// returns; a run that fails writes none. UnknownCallable, ArgumentCount, ArgumentType, BufferTooShort, InvalidArgument,
  /// NotADeviceAddress or OverlappingArguments: nothing was done. OutOfDeviceMemory: no room for arguments or rings. Codes 1 to 199 are
  /// the run's own and name task, kernel, core or scope; after KernelCrashed and SchedulerTimeout every further call says DeviceLost.
  Result<RunReport> run(const CallableId& callable, std::span<const Argument> arguments, const RunConfig& config = {});

  /// `bytes` of device memory, 1,024-byte aligned, contents undefined. InvalidArgument: 0 bytes; OutOfDeviceMemory, with the bytes
  /// wanted, live and in all.
  Result<DeviceAddress> malloc(uint64_t bytes);
  /// Gives back what malloc gave. NotADeviceAddress: not the start of a live allocation.
  Result<void> free(DeviceAddress address);
  /// Copies `bytes` to the device and waits. NotADeviceAddress unless they lie in one live allocation; InvalidArgument: a null pointer.
  Result<void> copy_to(DeviceAddress destination, const void* source, uint64_t bytes);
  /// Copies `bytes` from the device and waits. Errors as of copy_to.
  Result<void> copy_from(void* destination, DeviceAddress source, uint64_t bytes);

 private:
  class Impl;
  explicit Worker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Device memory of a worker that is given back when its owner goes. The worker must outlive it, open or closed.
class DeviceBuffer {
 public:
  /// Errors as of Worker::malloc.
  static Result<DeviceBuffer> make(Worker& worker, uint64_t bytes) {
    TASKMILL_ASSIGN(const DeviceAddress address, worker.malloc(bytes));
    return DeviceBuffer(worker, address, bytes);
  }
  /// Frees the memory, unless it was moved from.
  ~DeviceBuffer() {
    if (worker_ != nullptr) (void)worker_->free(address_);  // Closed: the memory went with the device
  }
  /// Takes the memory over; `other` may only be destroyed or assigned to.
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : worker_(std::exchange(other.worker_, nullptr)), address_(other.address_), bytes_(other.bytes_) {}
  /// Takes the memory over; what this held goes with `other`.
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(worker_, other.worker_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  /// Of the first byte, for Worker::copy_to and copy_from.
  DeviceAddress address() const { return address_; }
  /// As asked for.
  uint64_t bytes() const { return bytes_; }
  /// The buffer's first elements as an argument of a run. The run refuses one that
  /// needs more bytes than the buffer has (NotADeviceAddress).
  DeviceTensor tensor(std::vector<uint32_t> shape, DataType dtype = DataType::kFloat32) const {
    return {address_, std::move(shape), dtype};
  }

 private:
  DeviceBuffer(Worker& worker, DeviceAddress address, uint64_t bytes) : worker_(&worker), address_(address), bytes_(bytes) {}
  Worker* worker_;
  DeviceAddress address_;
  uint64_t bytes_;
};

/// Writes spans of a report as Chrome trace JSON, which Perfetto opens; `dropped_spans` is noted in it. IoFailed: the file cannot be
/// written.
Result<void> write_trace(const std::filesystem::path& file, std::span<const TraceSpan> spans, uint64_t dropped_spans);

}  // namespace taskmill
