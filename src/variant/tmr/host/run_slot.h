// What a device keeps from run to run of this variant, and the image of the newest prepared run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taskmill/driver.h"
#include "variant/tmr/host/device_buffer.h"
#include "wire/launch_block.h"
#include "wire/mailbox.h"

namespace taskmill::tmr {

// The loaded device programs and the shape of their launches.
struct Programs {
  Handle aicpu;
  Handle aicore;
  uint32_t scheduler_threads = 1;
};

// What the device will read: the launch block and the tables that it points at.
struct RunImage {
  wire::LaunchBlock launch = {};
  std::vector<std::byte> tables;  // EntryTensor[], then scalars, then the function table; copied to the slot's table buffer
};

struct SlotNeeds {
  uint64_t region_bytes = 0;
  uint64_t heap_bytes = 0;
  uint64_t table_bytes = 0;
  uint64_t trace_bytes = 0;
};

class RunSlot {
 public:
  // Makes the streams, events, registers (zeroed) and the result block.
  static Result<std::unique_ptr<RunSlot>> open(Device& device, const Programs& programs);
  RunSlot(const RunSlot&) = delete;
  RunSlot& operator=(const RunSlot&) = delete;
  // After a quarantined run the device is not called: it keeps what the slot held. The slot may then outlive it.
  ~RunSlot();

  // Grows what is too small. On failure nothing is smaller than before, and the image still stands.
  Result<void> reserve(const SlotNeeds& needs);

  // Serials go on for the device's life, one for each run that reaches the device: the registers hold words of the newest such
  // run, whose token generation must not come round again before another run has overwritten them.
  uint64_t next_serial() const { return launched_serial_ + 1; }
  void mark_launched(uint64_t serial) { launched_serial_ = serial; }
  void commit(RunImage image) { image_ = std::move(image); }
  const RunImage& image() const { return image_; }

  // A run may still be on the device and nobody could make it leave, so no other goes in: it would share everything here.
  void quarantine(std::string reason) { quarantine_ = std::move(reason); }
  // DeviceLost after a quarantine.
  Result<void> usable() const;

  Device& device() const { return device_; }
  const Programs& programs() const { return programs_; }
  uint32_t clusters() const { return device_.info().clusters; }
  uint32_t cores() const { return device_.info().cores; }
  uint32_t trace_lanes() const { return cores() + programs_.scheduler_threads + 1; }

  Handle aicpu_stream() const { return aicpu_stream_.get(); }
  Handle aicore_stream() const { return aicore_stream_.get(); }
  Handle helper_stream() const { return helper_stream_.get(); }  // for probes and aborts; never has a run's work
  Handle aicpu_event() const { return aicpu_event_.get(); }
  Handle aicore_event() const { return aicore_event_.get(); }

  const DeviceBuffer& registers() const { return registers_; }
  const DeviceBuffer& result() const { return result_; }
  const DeviceBuffer& region() const { return region_; }
  const DeviceBuffer& heap() const { return heap_; }
  const DeviceBuffer& tables() const { return tables_; }
  const DeviceBuffer& trace() const { return trace_; }
  // One for each core. Host memory that queued copies read, so it lives as long as they may.
  std::vector<wire::CoreRegisters>& exit_words() { return exit_words_; }

 private:
  RunSlot(Device& device, const Programs& programs) : device_(device), programs_(programs) {}
  Result<void> make_handles();

  Device& device_;
  const Programs programs_;
  RunImage image_;
  uint64_t launched_serial_ = 0;
  std::string quarantine_;  // empty: none
  std::vector<wire::CoreRegisters> exit_words_;
  DeviceBuffer registers_, result_, region_, heap_, tables_, trace_;
  OwnedHandle aicpu_event_, aicore_event_;
  OwnedHandle aicpu_stream_, aicore_stream_, helper_stream_;
};

}  // namespace taskmill::tmr
