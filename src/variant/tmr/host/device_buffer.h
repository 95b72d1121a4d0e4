// Device memory and driver objects with an owner.
#pragma once

#include <cstdint>
#include <utility>

#include "taskmill/driver.h"

namespace taskmill::tmr {

// Memory of one device, released when this ends. It must not outlive the device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  static Result<DeviceBuffer> allocate(Device& device, uint64_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer() { reset(); }

  DeviceAddress address() const { return address_; }
  uint64_t bytes() const { return bytes_; }

  // Makes this at least `bytes` large; its contents are lost if it grows. On failure it is as it was.
  Result<void> reserve(Device& device, uint64_t bytes);
  // The device keeps the memory until it goes; this is empty.
  void disown() { device_ = nullptr, address_ = 0, bytes_ = 0; }

 private:
  // A release that fails is a lost device's: the driver keeps such memory until it ends.
  void reset();

  Device* device_ = nullptr;
  DeviceAddress address_ = 0;
  uint64_t bytes_ = 0;
};

// A stream or an event of one device, destroyed when this ends.
class OwnedHandle {
 public:
  OwnedHandle() = default;
  OwnedHandle(Device& device, Handle handle) : device_(&device), handle_(handle) {}
  OwnedHandle(OwnedHandle&& other) noexcept { *this = std::move(other); }
  OwnedHandle& operator=(OwnedHandle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~OwnedHandle();
  Handle get() const { return handle_; }
  // The device keeps it until it goes; this is empty.
  void disown() { handle_ = {}; }

 private:
  Device* device_ = nullptr;
  Handle handle_;
};

}  // namespace taskmill::tmr
