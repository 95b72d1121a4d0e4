#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "driver/checks.h"
#include "driver/handle_table.h"
#include "driver/sim/device_memory.h"
#include "driver/sim/image.h"
#include "driver/sim/kernel_guard.h"
#include "driver/sim/launch_addresses.h"
#include "driver/sim/make_sim_device.h"
#include "driver/sim/run_board.h"
#include "driver/sim/stream.h"

namespace taskmill {
namespace {

using driver::HandleTable;
using sim::Event;
using sim::LoadedObject;
using sim::Stream;

class SimDevice final : public Device {
 public:
  SimDevice(DeviceInfo info, std::shared_ptr<sim::DeviceMemory> memory, std::unique_ptr<sim::Executor> executor)
      : Device(std::move(info)), memory_(std::move(memory)), executor_(std::move(executor)), board_(executor_.get()) {}

  ~SimDevice() override {
    for (const auto& stream : streams_.all()) {
      if (!stream->idle()) give_everything_up("it is being closed");
    }
  }

  // ---- memory

  Result<DeviceAddress> allocate(uint64_t bytes) override {
    TASKMILL_TRY(begin_call());
    return memory_->allocate(bytes);
  }

  // Also on a lost device, whose memory stays mapped for the threads that it left behind.
  Result<void> release(DeviceAddress address) override {
    ++calls_;
    return memory_->release(address);
  }

  // A lost device still answers synchronous copies to the host: its last result can be read.
  Result<void> copy(const Copy& copy, Handle stream) override {
    ++calls_;
    if (stream || copy.kind != CopyKind::kDeviceToHost) TASKMILL_TRY(health());
    if (!stream) return do_copy(copy);
    TASKMILL_ASSIGN(const std::shared_ptr<Stream> queue, streams_.find(stream));
    TASKMILL_TRY(memory_->check_copy(copy));
    queue->enqueue([this, copy] { return as_device_fault(do_copy(copy)); });
    return {};
  }

  // ---- streams and events

  Result<Handle> create_stream() override {
    TASKMILL_TRY(begin_call());
    auto stream = std::make_shared<Stream>();
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(unfinished_, [](const auto& other) { return other.expired(); });
      unfinished_.push_back(stream);
    }
    return streams_.add(std::move(stream));
  }

  Result<Handle> create_event() override {
    TASKMILL_TRY(begin_call());
    return events_.add(std::make_shared<Event>());
  }

  Result<void> destroy(Handle handle) override {
    ++calls_;
    if (handle.kind == HandleKind::kEvent) return events_.remove(handle).map([](const auto&) {});
    if (handle.kind == HandleKind::kImage) return images_.remove(handle).map([](const auto&) {});
    TASKMILL_ASSIGN(const std::shared_ptr<Stream> stream, streams_.remove(handle));
    stream->wait_idle();
    return {};
  }

  Result<bool> query(Handle handle) override {
    ++calls_;
    if (handle.kind == HandleKind::kEvent) {
      TASKMILL_ASSIGN(const std::shared_ptr<Event> event, events_.find(handle));
      return event->is_complete(event->newest());
    }
    TASKMILL_ASSIGN(const std::shared_ptr<Stream> stream, streams_.find(handle));
    return stream->idle();
  }

  Result<void> synchronize(Handle handle, std::chrono::milliseconds timeout) override {
    ++calls_;
    TASKMILL_TRY(driver::check_timeout(timeout));
    bool done = false;
    std::shared_ptr<Stream> stream;
    if (handle.kind == HandleKind::kEvent) {
      TASKMILL_ASSIGN(const std::shared_ptr<Event> event, events_.find(handle));
      done = event->wait(event->newest(), timeout);
    } else {
      TASKMILL_ASSIGN(stream, streams_.find(handle));
      done = stream->wait_idle(timeout);
    }
    TASKMILL_TRY(health());
    if (!done) {
      return fail(ErrorCode::kTimedOut,
                  fmt::format("{} {} is not done after {} ms", stream ? "stream" : "event", handle.id, timeout.count()));
    }
    if (!stream) return {};
    std::optional<Error> fault = stream->take_fault();
    if (!fault) return {};
    lose(fault->message);
    return tl::unexpected(*std::move(fault));
  }

  Result<void> record(Handle event, Handle stream) override {
    TASKMILL_TRY(begin_call());
    TASKMILL_ASSIGN(const std::shared_ptr<Event> target, events_.find(event));
    TASKMILL_ASSIGN(const std::shared_ptr<Stream> queue, streams_.find(stream));
    queue->enqueue([this, record = std::make_shared<sim::PendingRecord>(target)]() -> Result<void> {
      record->complete(executor_->now_ns());
      return {};
    });
    return {};
  }

  Result<void> wait(Handle stream, Handle event) override {
    TASKMILL_TRY(begin_call());
    TASKMILL_ASSIGN(const std::shared_ptr<Event> source, events_.find(event));
    TASKMILL_ASSIGN(const std::shared_ptr<Stream> queue, streams_.find(stream));
    queue->enqueue([source, number = source->newest()]() -> Result<void> {
      source->wait(number);
      return {};
    });
    return {};
  }

  Result<uint64_t> timestamp(Handle event) override {
    ++calls_;
    TASKMILL_ASSIGN(const std::shared_ptr<Event> source, events_.find(event));
    if (const std::optional<uint64_t> ns = source->timestamp()) return *ns;
    return fail(ErrorCode::kInvalidArgument, fmt::format("event {} has no complete record", event.id));
  }

  // ---- programs

  Result<LoadedImage> load(const Image& image) override {
    TASKMILL_TRY(begin_call());
    TASKMILL_ASSIGN(const std::shared_ptr<LoadedObject> object, LoadedObject::load(image, info().arch));
    LoadedImage loaded;
    for (const std::string& name : image.symbols) {
      TASKMILL_ASSIGN(const uint64_t address, object->symbol(name));
      loaded.symbols.push_back(address);
    }
    loaded.handle = images_.add(object);
    return loaded;
  }

  Result<void> launch(const Launch& launch, Handle stream) override {
    TASKMILL_TRY(begin_call());
    TASKMILL_ASSIGN(const std::shared_ptr<Stream> queue, streams_.find(stream));
    TASKMILL_ASSIGN(const std::shared_ptr<LoadedObject> image, images_.find(launch.image));
    sim::RunTicket::Program half;
    TASKMILL_ASSIGN(half.launch, driver::check_launch(launch, info()));
    TASKMILL_TRY(sim::check_launch_addresses(half.launch, info(), memory_->live()));
    const bool aicpu = launch.processor == Processor::kAicpu;
    if (image->kind() != (aicpu ? ImageKind::kAicpuProgram : ImageKind::kAicoreProgram)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("image \"{}\" is no {} program", image->name(), aicpu ? "AICPU" : "AICore"));
    }
    if (aicpu) {
      half.entry = image->aicpu_program().entries;
    } else {
      half.program = &image->aicore_program();
    }
    half.kept_alive = {memory_, image};
    for (const auto& other : images_.all()) half.kept_alive.push_back(other);  // kernels and orchestrations
    queue->enqueue([this, processor = launch.processor, half = std::move(half)] { return board_.run(processor, half); });
    return {};
  }

  // ---- errors and statistics

  Result<void> abandon(const std::string& reason) override {
    ++calls_;
    give_everything_up(reason);
    return {};
  }

  Result<void> health() override {
    const std::lock_guard lock(mutex_);
    if (!lost_) return {};
    return fail(ErrorCode::kDeviceLost, "the device is lost and must be reopened: " + *lost_);
  }

  DeviceStatistics statistics() const override {
    DeviceStatistics statistics;
    memory_->live().report(&statistics);
    statistics.live_streams = streams_.size();
    statistics.live_events = events_.size();
    statistics.live_images = images_.size();
    statistics.calls = calls_;
    statistics.copies = copies_;
    statistics.copied_bytes = copied_bytes_;
    uint32_t started = 0;
    for (const auto& stream : streams_.all()) started += stream->started() ? 1 : 0;
    statistics.threads = started + executor_->threads();
    statistics.threads_peak = std::max(statistics.threads, started + executor_->threads_peak());
    return statistics;
  }

 private:
  Result<void> begin_call() {
    ++calls_;
    return health();
  }

  Result<void> do_copy(const Copy& copy) {
    TASKMILL_TRY(memory_->check_copy(copy));
    sim::move_bytes(copy.destination, copy.source, copy.bytes);
    ++copies_;
    copied_bytes_ += copy.bytes;
    if (copy.kind != CopyKind::kDeviceToHost) board_.wrote(copy.destination, copy.bytes);
    return {};
  }

  static Result<void> as_device_fault(Result<void> result) {
    if (result) return {};
    return fail(ErrorCode::kDeviceFault, "queued copy: " + result.error().message);
  }

  void lose(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (!lost_) lost_ = reason;
  }

  void give_everything_up(const std::string& reason) {
    lose(reason);
    const auto streams = unfinished_streams();
    for (const auto& stream : streams) stream->drop_queued();
    board_.abandon(reason);
    executor_->abandon(reason);
    for (const auto& stream : streams) stream->wait_idle();
  }

  // Also those that are being destroyed.
  std::vector<std::shared_ptr<Stream>> unfinished_streams() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Stream>> streams;
    for (const auto& stream : unfinished_) {
      if (auto still = stream.lock()) streams.push_back(std::move(still));
    }
    return streams;
  }

  const sim::HandlerInstallation handlers_;
  const std::shared_ptr<sim::DeviceMemory> memory_;
  const std::unique_ptr<sim::Executor> executor_;
  sim::RunBoard board_;
  std::mutex mutex_;
  std::optional<std::string> lost_;                // guarded by mutex_
  std::vector<std::weak_ptr<Stream>> unfinished_;  // streams until they are gone; guarded by mutex_
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> copies_{0};
  std::atomic<uint64_t> copied_bytes_{0};
  HandleTable<LoadedObject> images_{HandleKind::kImage};
  HandleTable<Event> events_{HandleKind::kEvent};
  HandleTable<Stream> streams_{HandleKind::kStream};  // last: its threads use all of the above
};

}  // namespace

Result<std::unique_ptr<Device>> make_sim_device(DeviceInfo info, std::unique_ptr<sim::Executor> executor) {
  TASKMILL_ASSIGN(std::shared_ptr<sim::DeviceMemory> memory, sim::DeviceMemory::reserve(info.memory_bytes));
  return std::make_unique<SimDevice>(std::move(info), std::move(memory), std::move(executor));
}

}  // namespace taskmill
