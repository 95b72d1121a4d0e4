// What a device is. A backend derives from Device and implements the pure virtual functions; the rest have working
// defaults. Every backend passes the same conformance suite (tests/driver/conformance.h).
//
// Semantics, as on the vendor's hardware: a stream is in order, streams are independent; work is queued and runs later; a
// completed event does not prove success; a fault is reported by the next synchronise of a stream and makes the device
// error sticky; queries alone never surface a fault. A time-out of 0 is illegal. Handles are checked here, not below.
// Thread-safety: every function may be called from any thread.
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

using DeviceAddress = uint64_t;

enum class HandleKind : uint8_t { kNone, kStream, kEvent, kImage };

// Names a stream, an event or a loaded image of one device. Never reused while the device is open.
struct Handle {
  HandleKind kind = HandleKind::kNone;
  uint64_t id = 0;
  explicit operator bool() const { return kind != HandleKind::kNone; }
  friend bool operator==(const Handle&, const Handle&) = default;
};

enum class CopyKind : uint8_t { kHostToDevice, kDeviceToHost, kDeviceToDevice };

// Both ranges must lie in one live allocation each (device) or be host memory that outlives the copy. 0 bytes is legal.
struct Copy {
  uint64_t destination;
  uint64_t source;
  uint64_t bytes;
  CopyKind kind;
};

enum class ImageKind : uint8_t { kAicpuProgram, kAicoreProgram, kKernel, kOrchestration };

struct Image {
  ImageKind kind;
  std::span<const std::byte> bytes;  // copied by load
  std::string name;                  // for messages
  std::vector<std::string> symbols;  // exported functions whose addresses are wanted
};

struct LoadedImage {
  Handle handle;
  std::vector<uint64_t> symbols;  // addresses that device programs can call, in the order asked for
};

enum class Processor : uint8_t { kAicpu, kAicore };

// One launch. `arguments` is a wire::LaunchBlock, copied at enqueue, its ports filled in by the driver.
struct Launch {
  Processor processor;
  Handle image;
  uint32_t blocks;  // AICPU: threads; AICore: clusters
  std::span<const std::byte> arguments;
};

struct DeviceInfo {
  std::string platform;  // "a2a3sim"
  uint32_t arch = 0;     // arch::ArchId
  uint32_t clusters = 0;
  uint32_t cores = 0;          // clusters × (1 AIC + 2 AIV)
  uint32_t aicpu_threads = 0;  // most threads of an AICPU launch
  uint64_t memory_bytes = 0;
  bool runs_programs = false;  // false: launches complete without running anything
  bool timestamps = false;     // event timestamps
};

struct DeviceStatistics {
  uint64_t live_allocations = 0;
  uint64_t live_bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t live_streams = 0;
  uint64_t live_events = 0;
  uint64_t live_images = 0;
  uint64_t calls = 0;  // driver calls so far
  uint64_t copies = 0;
  uint64_t copied_bytes = 0;
  uint32_t threads = 0;  // the driver's own threads, now and at most
  uint32_t threads_peak = 0;
};

class Device {
 public:
  // Releases what is still alive. A device with a stuck kernel keeps its memory and that kernel's thread quarantined.
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }

  // Memory. `allocate` gives 1,024-byte aligned device memory, contents undefined; 0 bytes: InvalidArgument; no room:
  // OutOfDeviceMemory with wanted, live and total bytes. `release` takes an exact base, else NotADeviceAddress.
  virtual Result<DeviceAddress> allocate(uint64_t bytes) = 0;
  virtual Result<void> release(DeviceAddress address) = 0;
  // Queued on `stream`; synchronous if the handle is empty.
  virtual Result<void> copy(const Copy& copy, Handle stream) = 0;

  virtual Result<Handle> create_stream() = 0;
  virtual Result<Handle> create_event() = 0;
  // A stream (waits for its work), an event or an image. A second destroy: StaleHandle.
  virtual Result<void> destroy(Handle handle) = 0;

  // Is everything queued so far done? Stream or event; a never-recorded event is done. Never surfaces a fault.
  virtual Result<bool> query(Handle handle) = 0;
  // Waits for a stream or an event. TimedOut after `timeout` (> 0), the work goes on. A stream reports a fault behind it.
  virtual Result<void> synchronize(Handle handle, std::chrono::milliseconds timeout) = 0;
  virtual Result<void> record(Handle event, Handle stream) = 0;
  // Later work of `stream` waits for the record of `event` that is the newest at this call.
  virtual Result<void> wait(Handle stream, Handle event) = 0;

  virtual Result<LoadedImage> load(const Image& image) = 0;
  virtual Result<void> launch(const Launch& launch, Handle stream) = 0;

  // ---- with working defaults

  // Fills with a byte, by copies from a pattern. Queued like `copy`.
  virtual Result<void> fill(DeviceAddress destination, uint8_t value, uint64_t bytes, Handle stream);
  // Nanoseconds on the device's clock at which a recorded event completed. Default: Unsupported.
  virtual Result<uint64_t> timestamp(Handle event);
  // Gives up all queued and running work: stuck cores are quarantined, every stream becomes idle, the device error is
  // sticky until the device is reopened (DeviceLost). Default: Unsupported.
  virtual Result<void> abandon(const std::string& reason);
  // The sticky error, or Ok. Default: Ok.
  virtual Result<void> health();
  virtual DeviceStatistics statistics() const { return {}; }

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}

 private:
  DeviceInfo info_;
};

}  // namespace taskmill
