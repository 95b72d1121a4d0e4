/// @file
/// What a device is. A backend derives from Device and implements the pure virtual functions; the rest have working
/// defaults. Every backend passes the same conformance suite (tests/driver/conformance.h).
///
/// Semantics, as on the vendor's hardware: a stream is in order, streams are independent; work is queued and runs later; a
/// completed event does not prove success; a fault is reported by the next synchronise of a stream and makes the device
/// error sticky; queries alone never surface a fault. A time-out of 0 is illegal. Handles are checked here, not below.
/// Thread-safety: every function may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taskmill/result.h"

namespace taskmill {

/// An address in a device's memory, in bytes.
using DeviceAddress = uint64_t;

/// What a Handle names.
enum class HandleKind : uint8_t { kNone, kStream, kEvent, kImage };

/// Names a stream, an event or a loaded image of one device. Never reused while the device is open.
struct Handle {
  HandleKind kind = HandleKind::kNone;  ///< what it names; kNone for the empty handle
  uint64_t id = 0;                      ///< counts up from 1 on each device
  /// True unless empty.
  explicit operator bool() const { return kind != HandleKind::kNone; }
  friend bool operator==(const Handle&, const Handle&) = default;
};

/// Where the two ends of a Copy lie.
enum class CopyKind : uint8_t { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// A copy of `bytes` bytes. Both ranges must lie in one live allocation each (device) or be host memory that outlives the copy. 0 bytes is
/// legal.
struct Copy {
  uint64_t destination;  ///< address of the first byte written
  uint64_t source;       ///< address of the first byte read
  uint64_t bytes;        ///< how many
  CopyKind kind;         ///< says which of the two are device addresses
};

/// What an Image holds.
enum class ImageKind : uint8_t { kAicpuProgram, kAicoreProgram, kKernel, kOrchestration };

/// A shared object for a device to load.
struct Image {
  ImageKind kind;                    ///< what it holds
  std::span<const std::byte> bytes;  ///< copied by load
  std::string name;                  ///< for messages
  std::vector<std::string> symbols;  ///< exported functions whose addresses are wanted
};

/// What `load` made of an Image.
struct LoadedImage {
  Handle handle;                  ///< for launches and `destroy`
  std::vector<uint64_t> symbols;  ///< addresses that device programs can call, in the order asked for
};

/// Which processors a Launch is for: the control processors (AICPU) or the cores (AICore).
enum class Processor : uint8_t { kAicpu, kAicore };

/// One launch. `arguments` is a wire::LaunchBlock, copied at enqueue, its ports filled in by the driver.
struct Launch {
  Processor processor;                   ///< where it runs
  Handle image;                          ///< a loaded kAicpuProgram or kAicoreProgram
  uint32_t blocks;                       ///< AICPU: threads; AICore: clusters
  std::span<const std::byte> arguments;  ///< one wire::LaunchBlock
};

/// What a device is; the same for as long as it is open.
struct DeviceInfo {
  std::string platform;        ///< "a2a3sim"
  uint32_t arch = 0;           ///< number of the chip's architecture
  uint32_t clusters = 0;       ///< each of one cube core (AIC) and two vector cores (AIV)
  uint32_t cores = 0;          ///< AIC and AIV, three per cluster
  uint32_t aicpu_threads = 0;  ///< most threads of an AICPU launch
  uint64_t memory_bytes = 0;   ///< bytes of device memory
  bool runs_programs = false;  ///< false: launches complete without running anything
  bool timestamps = false;     ///< whether `timestamp` is supported
};

/// What a device holds now, and what it has done since it was opened.
struct DeviceStatistics {
  uint64_t live_allocations = 0;  ///< allocations that were not released
  uint64_t live_bytes = 0;        ///< bytes asked for by them
  uint64_t peak_bytes = 0;        ///< most live_bytes so far
  uint64_t live_streams = 0;      ///< streams that were not destroyed
  uint64_t live_events = 0;       ///< events that were not destroyed
  uint64_t live_images = 0;       ///< images that were not destroyed
  uint64_t calls = 0;             ///< driver calls so far
  uint64_t copies = 0;            ///< copies so far
  uint64_t copied_bytes = 0;      ///< bytes that they moved
  uint32_t threads = 0;           ///< the driver's own threads now
  uint32_t threads_peak = 0;      ///< most of them at a time
};

/// A device that is open. Streams, events and images of one device mean nothing to another: StaleHandle.
class Device {
 public:
  /// Releases what is still alive. A device with a stuck kernel keeps its memory and that kernel's thread quarantined.
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// What the device is.
  const DeviceInfo& info() const { return info_; }

  /// 1,024-byte aligned device memory, contents undefined. InvalidArgument: 0 bytes; OutOfDeviceMemory: no room, with wanted, live and
  /// total bytes.
  virtual Result<DeviceAddress> allocate(uint64_t bytes) = 0;
  /// Gives back what `allocate` gave. NotADeviceAddress: not the base of a live allocation.
  virtual Result<void> release(DeviceAddress address) = 0;
  /// Queued on `stream`; synchronous if the handle is empty. NotADeviceAddress: a device range that is not in one live allocation;
  /// InvalidArgument: device memory given as host memory.
  virtual Result<void> copy(const Copy& copy, Handle stream) = 0;

  /// A new stream: work that is queued on it runs in order.
  virtual Result<Handle> create_stream() = 0;
  /// A new event, which no stream has recorded.
  virtual Result<Handle> create_event() = 0;
  /// Ends a stream (waits for its work), an event or an image. StaleHandle: destroyed before.
  virtual Result<void> destroy(Handle handle) = 0;

  /// Is everything queued so far done? Stream or event; a never-recorded event is done. Never surfaces a fault.
  virtual Result<bool> query(Handle handle) = 0;
  /// Waits for a stream or an event. TimedOut after `timeout` (> 0), the work goes on. A stream reports a fault behind it.
  virtual Result<void> synchronize(Handle handle, std::chrono::milliseconds timeout) = 0;
  /// Queues on `stream` that `event` completes, once all work before it has.
  virtual Result<void> record(Handle event, Handle stream) = 0;
  /// Later work of `stream` waits for the record of `event` that is the newest at this call.
  virtual Result<void> wait(Handle stream, Handle event) = 0;

  /// Makes an image callable. LoadFailed: not a shared object of this chip; MissingSymbol: names the symbol.
  virtual Result<LoadedImage> load(const Image& image) = 0;
  /// Queues a program on `stream`. InvalidArgument: arguments shorter than a launch block, 0 blocks, or more than there are.
  virtual Result<void> launch(const Launch& launch, Handle stream) = 0;

  // ---- with working defaults

  /// Fills with a byte, by copies from a pattern. Queued like `copy`.
  virtual Result<void> fill(DeviceAddress destination, uint8_t value, uint64_t bytes, Handle stream);
  /// Nanoseconds on the device's clock at which a recorded event completed. Default: Unsupported.
  virtual Result<uint64_t> timestamp(Handle event);
  /// Gives up all queued and running work: stuck cores are quarantined, every stream becomes idle, the device error is
  /// sticky until the device is reopened (DeviceLost). Default: Unsupported.
  virtual Result<void> abandon(const std::string& reason);
  /// The sticky error, or Ok. Default: Ok.
  virtual Result<void> health();
  /// What the device holds and has done. Default: all 0.
  virtual DeviceStatistics statistics() const { return {}; }

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}

 private:
  DeviceInfo info_;
};

}  // namespace taskmill
