// A decorator that makes a device fail where a test says. Also counts calls, so that a test can fail each in turn.
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "taskmill/driver.h"

namespace taskmill {

enum class CallKind : uint8_t {
  kAllocate,
  kRelease,
  kCopy,
  kCreateStream,
  kCreateEvent,
  kDestroy,
  kQuery,
  kSynchronize,
  kRecord,
  kWait,
  kLoad,
  kLaunch,
  kTimestamp,
  kAbandon,
};
constexpr size_t kCallKinds = static_cast<size_t>(CallKind::kAbandon) + 1;
const char* call_name(CallKind kind);

enum class FaultMode : uint8_t {
  kInstead,  // the call returns the code and does nothing (TimedOut for a synchronise: the time-out ran out)
  kAfter,    // the call is made, then returns the code
  kLater,    // copy, record, wait or launch on a stream: the call succeeds, its work is lost, the stream's next synchronise
             // returns the code once, and the device is lost from then on
};

struct FaultPlan {
  CallKind kind;
  uint64_t nth;  // the first call of this kind after wrapping is 1
  ErrorCode code;
  FaultMode mode = FaultMode::kInstead;
};

class FaultDevice final : public Device {
 public:
  explicit FaultDevice(std::unique_ptr<Device> inner);

  // ---- for tests
  // Each plan fires once. kLater on a call without a stream is kInstead.
  void plan(const FaultPlan& plan);
  // Called before each call, without a lock held: a test's delay, by its clock or its latch.
  void before_each_call(std::function<void(CallKind kind, uint64_t nth)> hook);
  uint64_t count(CallKind kind) const;
  // Faults that fired so far.
  uint64_t fired() const;
  Device& inner() { return *inner_; }

  // ---- Device
  Result<DeviceAddress> allocate(uint64_t bytes) override;
  Result<void> release(DeviceAddress address) override;
  Result<void> copy(const Copy& copy, Handle stream) override;
  Result<Handle> create_stream() override;
  Result<Handle> create_event() override;
  Result<void> destroy(Handle handle) override;
  Result<bool> query(Handle handle) override;
  Result<void> synchronize(Handle handle, std::chrono::milliseconds timeout) override;
  Result<void> record(Handle event, Handle stream) override;
  Result<void> wait(Handle stream, Handle event) override;
  Result<LoadedImage> load(const Image& image) override;
  Result<void> launch(const Launch& launch, Handle stream) override;
  Result<uint64_t> timestamp(Handle event) override;
  Result<void> abandon(const std::string& reason) override;
  Result<void> health() override;
  DeviceStatistics statistics() const override { return inner_->statistics(); }

 private:
  template <class T, class Call>
  Result<T> make(CallKind kind, Handle stream, Call&& call);
  // Counts the call and takes its plan.
  std::optional<FaultPlan> begin(CallKind kind);
  std::optional<Error> take_late_fault(Handle stream);
  Result<void> check_not_lost();

  const std::unique_ptr<Device> inner_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<FaultPlan> plans_;
  std::array<uint64_t, kCallKinds> counts_ = {};
  std::map<uint64_t, Error> late_faults_;  // by stream id
  std::optional<std::string> lost_;
  uint64_t fired_ = 0;
  std::function<void(CallKind, uint64_t)> before_;
};

// Wraps whatever `inner` is.
std::unique_ptr<FaultDevice> wrap_with_faults(std::unique_ptr<Device> inner);

}  // namespace taskmill
