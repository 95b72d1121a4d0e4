#include "driver/null/null_device.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <variant>

#include "base/align.h"
#include "driver/checks.h"
#include "driver/handle_table.h"
#include "driver/live_ranges.h"

namespace taskmill {
namespace {

using driver::HandleTable;
using driver::LiveRanges;

// Streams, events and images have no state here: everything is done when the call that queues it returns.
using Nothing = std::monostate;

class NullDevice final : public Device {
 public:
  explicit NullDevice(DeviceInfo info) : Device(std::move(info)), live_(this->info().memory_bytes) {}

  ~NullDevice() override {
    for (const DeviceAddress base : live_.bases()) std::free(reinterpret_cast<void*>(base));
  }

  Result<DeviceAddress> allocate(uint64_t bytes) override {
    ++calls_;
    TASKMILL_TRY(live_.admit(bytes));
    void* memory = std::aligned_alloc(kBufferAlignment, align_up(bytes, kBufferAlignment));
    if (memory == nullptr) return fail(ErrorCode::kOutOfDeviceMemory, "the host has no room for " + std::to_string(bytes) + " bytes");
    live_.insert(reinterpret_cast<DeviceAddress>(memory), bytes);
    return reinterpret_cast<DeviceAddress>(memory);
  }

  Result<void> release(DeviceAddress address) override {
    ++calls_;
    TASKMILL_TRY(live_.remove(address));
    std::free(reinterpret_cast<void*>(address));
    return {};
  }

  Result<void> copy(const Copy& copy, Handle stream) override {
    ++calls_;
    if (stream) TASKMILL_TRY(streams_.find(stream));
    TASKMILL_TRY(live_.check_copy(copy));
    if (copy.bytes != 0) std::memmove(reinterpret_cast<void*>(copy.destination), reinterpret_cast<const void*>(copy.source), copy.bytes);
    ++copies_;
    copied_bytes_ += copy.bytes;
    return {};
  }

  Result<Handle> create_stream() override { return create(streams_); }
  Result<Handle> create_event() override { return create(events_); }

  Result<void> destroy(Handle handle) override {
    ++calls_;
    TASKMILL_TRY(table_of(handle.kind).remove(handle));
    return {};
  }

  Result<bool> query(Handle handle) override {
    ++calls_;
    TASKMILL_TRY(waitable(handle));
    return true;
  }

  Result<void> synchronize(Handle handle, std::chrono::milliseconds timeout) override {
    ++calls_;
    TASKMILL_TRY(driver::check_timeout(timeout));
    return waitable(handle);
  }

  Result<void> record(Handle event, Handle stream) override { return pair(event, stream); }
  Result<void> wait(Handle stream, Handle event) override { return pair(event, stream); }

  // The bytes are not looked at: any name is a symbol, at an address that nothing may call.
  Result<LoadedImage> load(const Image& image) override {
    ++calls_;
    LoadedImage loaded{images_.add(std::make_shared<Nothing>()), {}};
    for (size_t i = 0; i < image.symbols.size(); ++i) loaded.symbols.push_back(i + 1);
    return loaded;
  }

  Result<void> launch(const Launch& launch, Handle stream) override {
    ++calls_;
    TASKMILL_TRY(streams_.find(stream));
    TASKMILL_TRY(images_.find(launch.image));
    TASKMILL_TRY(driver::check_launch(launch, info()));
    return {};
  }

  DeviceStatistics statistics() const override {
    DeviceStatistics statistics;
    live_.report(&statistics);
    statistics.live_streams = streams_.size();
    statistics.live_events = events_.size();
    statistics.live_images = images_.size();
    statistics.calls = calls_;
    statistics.copies = copies_;
    statistics.copied_bytes = copied_bytes_;
    return statistics;
  }

 private:
  Result<Handle> create(HandleTable<Nothing>& table) {
    ++calls_;
    return table.add(std::make_shared<Nothing>());
  }
  HandleTable<Nothing>& table_of(HandleKind kind) {
    return kind == HandleKind::kEvent ? events_ : kind == HandleKind::kImage ? images_ : streams_;
  }
  Result<void> waitable(Handle handle) {
    HandleTable<Nothing>& table = handle.kind == HandleKind::kEvent ? events_ : streams_;
    return table.find(handle).map([](const auto&) {});
  }
  Result<void> pair(Handle event, Handle stream) {
    ++calls_;
    TASKMILL_TRY(streams_.find(stream));
    return events_.find(event).map([](const auto&) {});
  }

  LiveRanges live_;
  HandleTable<Nothing> streams_{HandleKind::kStream};
  HandleTable<Nothing> events_{HandleKind::kEvent};
  HandleTable<Nothing> images_{HandleKind::kImage};
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> copies_{0};
  std::atomic<uint64_t> copied_bytes_{0};
};

}  // namespace

Result<std::unique_ptr<Device>> open_null_device(std::string_view platform) {
  TASKMILL_ASSIGN(const arch::ChipTraits* traits, driver::arch_of_platform(platform, "null"));
  return std::make_unique<NullDevice>(driver::describe(*traits, "null"));
}

}  // namespace taskmill
