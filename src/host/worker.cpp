#include "host/worker_impl.h"

namespace taskmill {

Worker::Worker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Worker::~Worker() = default;

Result<std::unique_ptr<Worker>> Worker::open(WorkerOptions options) {
  TASKMILL_ASSIGN(std::unique_ptr<Impl> impl, Impl::open(options));
  return std::unique_ptr<Worker>(new Worker(std::move(impl)));
}

Result<void> Worker::close() {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->is_open()) return fail(ErrorCode::kClosed, "close: the worker was closed already");
  impl_->close();
  return {};
}

bool Worker::is_open() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->is_open();
}

const DeviceInfo& Worker::device_info() const { return impl_->info(); }

DeviceStatistics Worker::statistics() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->statistics();
}

Result<void> Worker::unregister_callable(const CallableId& callable) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("unregister_callable"));
  return impl_->unregister_callable(callable);
}

Result<CallableId> Worker::register_callable(const CallableSpec& spec) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("register_callable"));
  return impl_->register_callable(spec);
}

Result<RunReport> Worker::run(const CallableId& callable, std::span<const Argument> arguments, const RunConfig& config) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("run"));
  return impl_->run(callable, arguments, config);
}

Result<DeviceAddress> Worker::malloc(uint64_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("malloc"));
  return impl_->malloc(bytes);
}

Result<void> Worker::free(DeviceAddress address) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("free"));
  return impl_->free(address);
}

Result<void> Worker::copy_to(DeviceAddress destination, const void* source, uint64_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("copy_to"));
  return impl_->copy_to(destination, source, bytes);
}

Result<void> Worker::copy_from(void* destination, DeviceAddress source, uint64_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  TASKMILL_TRY(impl_->require_usable("copy_from"));
  return impl_->copy_from(destination, source, bytes);
}

}  // namespace taskmill
