#include "driver/fault/fault_device.h"

#include <fmt/format.h>

#include <algorithm>

namespace taskmill {
namespace {

Error planned(const FaultPlan& plan) { return {plan.code, fmt::format("planned fault at {} {}", call_name(plan.kind), plan.nth)}; }

}  // namespace

const char* call_name(CallKind kind) {
  static constexpr const char* kNames[kCallKinds] = {"allocate", "release", "copy",        "create_stream", "create_event",
                                                     "destroy",  "query",   "synchronize", "record",        "wait",
                                                     "load",     "launch",  "timestamp",   "abandon"};
  return kNames[static_cast<size_t>(kind)];
}

FaultDevice::FaultDevice(std::unique_ptr<Device> inner) : Device(inner->info()), inner_(std::move(inner)) {}

std::unique_ptr<FaultDevice> wrap_with_faults(std::unique_ptr<Device> inner) { return std::make_unique<FaultDevice>(std::move(inner)); }

// ---- for tests

void FaultDevice::plan(const FaultPlan& plan) {
  const std::lock_guard lock(mutex_);
  plans_.push_back(plan);
}

void FaultDevice::before_each_call(std::function<void(CallKind, uint64_t)> hook) {
  const std::lock_guard lock(mutex_);
  before_ = std::move(hook);
}

uint64_t FaultDevice::count(CallKind kind) const {
  const std::lock_guard lock(mutex_);
  return counts_[static_cast<size_t>(kind)];
}

uint64_t FaultDevice::fired() const {
  const std::lock_guard lock(mutex_);
  return fired_;
}

// ---- the calls

std::optional<FaultPlan> FaultDevice::begin(CallKind kind) {
  std::function<void(CallKind, uint64_t)> before;
  std::optional<FaultPlan> plan;
  uint64_t nth = 0;
  {
    const std::lock_guard lock(mutex_);
    nth = ++counts_[static_cast<size_t>(kind)];
    before = before_;
    const auto place = std::find_if(plans_.begin(), plans_.end(), [&](const FaultPlan& p) { return p.kind == kind && p.nth == nth; });
    if (place != plans_.end()) {
      plan = *place;
      plans_.erase(place);
      ++fired_;
    }
  }
  if (before) before(kind, nth);
  return plan;
}

// `stream`: where the call's work is queued, or an empty handle.
template <class T, class Call>
Result<T> FaultDevice::make(CallKind kind, Handle stream, Call&& call) {
  const std::optional<FaultPlan> plan = begin(kind);
  if (!plan) return call();
  if (plan->mode == FaultMode::kAfter) {
    const Result<T> made = call();
    return made ? Result<T>(tl::unexpected(planned(*plan))) : made;
  }
  if constexpr (std::is_void_v<T>) {
    if (plan->mode == FaultMode::kLater && stream) {
      const std::lock_guard lock(mutex_);
      late_faults_.emplace(stream.id, planned(*plan));
      return {};
    }
  }
  return tl::unexpected(planned(*plan));
}

Result<void> FaultDevice::check_not_lost() {
  const std::lock_guard lock(mutex_);
  if (!lost_) return {};
  return fail(ErrorCode::kDeviceLost, "the device is lost and must be reopened: " + *lost_);
}

std::optional<Error> FaultDevice::take_late_fault(Handle stream) {
  const std::lock_guard lock(mutex_);
  const auto place = late_faults_.find(stream.id);
  if (stream.kind != HandleKind::kStream || place == late_faults_.end()) return std::nullopt;
  Error fault = std::move(place->second);
  late_faults_.erase(place);
  lost_ = fault.message;
  return fault;
}

Result<DeviceAddress> FaultDevice::allocate(uint64_t bytes) {
  TASKMILL_TRY(check_not_lost());
  return make<DeviceAddress>(CallKind::kAllocate, {}, [&] { return inner_->allocate(bytes); });
}

Result<void> FaultDevice::release(DeviceAddress address) {
  return make<void>(CallKind::kRelease, {}, [&] { return inner_->release(address); });
}

Result<void> FaultDevice::copy(const Copy& copy, Handle stream) {
  if (stream || copy.kind != CopyKind::kDeviceToHost) TASKMILL_TRY(check_not_lost());
  return make<void>(CallKind::kCopy, stream, [&] { return inner_->copy(copy, stream); });
}

Result<Handle> FaultDevice::create_stream() {
  TASKMILL_TRY(check_not_lost());
  return make<Handle>(CallKind::kCreateStream, {}, [&] { return inner_->create_stream(); });
}

Result<Handle> FaultDevice::create_event() {
  TASKMILL_TRY(check_not_lost());
  return make<Handle>(CallKind::kCreateEvent, {}, [&] { return inner_->create_event(); });
}

Result<void> FaultDevice::destroy(Handle handle) {
  return make<void>(CallKind::kDestroy, {}, [&] { return inner_->destroy(handle); });
}

Result<bool> FaultDevice::query(Handle handle) {
  return make<bool>(CallKind::kQuery, {}, [&] { return inner_->query(handle); });
}

Result<void> FaultDevice::synchronize(Handle handle, std::chrono::milliseconds timeout) {
  TASKMILL_TRY(check_not_lost());
  const Result<void> done = make<void>(CallKind::kSynchronize, {}, [&] { return inner_->synchronize(handle, timeout); });
  if (!done) return done;
  if (std::optional<Error> fault = take_late_fault(handle)) return tl::unexpected(*std::move(fault));
  return done;
}

Result<void> FaultDevice::record(Handle event, Handle stream) {
  TASKMILL_TRY(check_not_lost());
  return make<void>(CallKind::kRecord, stream, [&] { return inner_->record(event, stream); });
}

Result<void> FaultDevice::wait(Handle stream, Handle event) {
  TASKMILL_TRY(check_not_lost());
  return make<void>(CallKind::kWait, stream, [&] { return inner_->wait(stream, event); });
}

Result<LoadedImage> FaultDevice::load(const Image& image) {
  TASKMILL_TRY(check_not_lost());
  return make<LoadedImage>(CallKind::kLoad, {}, [&] { return inner_->load(image); });
}

Result<void> FaultDevice::launch(const Launch& launch, Handle stream) {
  TASKMILL_TRY(check_not_lost());
  return make<void>(CallKind::kLaunch, stream, [&] { return inner_->launch(launch, stream); });
}

Result<uint64_t> FaultDevice::timestamp(Handle event) {
  return make<uint64_t>(CallKind::kTimestamp, {}, [&] { return inner_->timestamp(event); });
}

Result<void> FaultDevice::abandon(const std::string& reason) {
  return make<void>(CallKind::kAbandon, {}, [&] { return inner_->abandon(reason); });
}

Result<void> FaultDevice::health() {
  TASKMILL_TRY(check_not_lost());
  return inner_->health();
}

}  // namespace taskmill
