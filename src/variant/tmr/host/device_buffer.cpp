#include "variant/tmr/host/device_buffer.h"

namespace taskmill::tmr {

Result<DeviceBuffer> DeviceBuffer::allocate(Device& device, uint64_t bytes) {
  DeviceBuffer buffer;
  TASKMILL_TRY(buffer.reserve(device, bytes));
  return buffer;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<void> DeviceBuffer::reserve(Device& device, uint64_t bytes) {
  if (bytes <= bytes_) return {};
  TASKMILL_ASSIGN(const DeviceAddress address, device.allocate(bytes));
  reset();
  device_ = &device;
  address_ = address;
  bytes_ = bytes;
  return {};
}

void DeviceBuffer::reset() {
  if (device_ != nullptr) (void)device_->release(address_);
  device_ = nullptr;
  address_ = 0;
  bytes_ = 0;
}

OwnedHandle::~OwnedHandle() {
  if (device_ != nullptr && handle_) (void)device_->destroy(handle_);
}

}  // namespace taskmill::tmr
