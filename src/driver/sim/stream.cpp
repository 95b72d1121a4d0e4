#include "driver/sim/stream.h"

namespace taskmill::sim {

uint64_t Event::begin_record() {
  const std::lock_guard lock(mutex_);
  pending_.insert(++begun_);
  return begun_;
}

void Event::complete(uint64_t record, uint64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (pending_.erase(record) == 0) return;
  if (record > newest_completed_) {
    newest_completed_ = record;
    timestamp_ = now_ns;
  }
  changed_.notify_all();
}

void Event::drop(uint64_t record) {
  const std::lock_guard lock(mutex_);
  if (pending_.erase(record) != 0) changed_.notify_all();
}

uint64_t Event::newest() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}

bool Event::is_complete(uint64_t record) const {
  const std::lock_guard lock(mutex_);
  return !pending_.contains(record);
}

bool Event::wait(uint64_t record, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return !pending_.contains(record); });
}

void Event::wait(uint64_t record) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !pending_.contains(record); });
}

std::optional<uint64_t> Event::timestamp() const {
  const std::lock_guard lock(mutex_);
  if (newest_completed_ == 0) return std::nullopt;
  return timestamp_;
}

struct Stream::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> queue;  // guarded by mutex, as all below
  bool busy = false;
  bool closing = false;
  bool started = false;
  std::optional<Error> fault;

  bool is_idle() const { return queue.empty() && !busy; }
};

Stream::Stream() : shared_(std::make_shared<Shared>()) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closing = true;
  }
  drop_queued();
  if (thread_.joinable()) thread_.join();
}

void Stream::enqueue(Work work) {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->started) {
    shared_->started = true;
    thread_ = std::thread([shared = shared_] { main(shared); });
  }
  shared_->queue.push_back(std::move(work));
  shared_->changed.notify_all();
}

bool Stream::idle() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->is_idle();
}

bool Stream::wait_idle(std::chrono::milliseconds timeout) const {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, timeout, [&] { return shared_->is_idle(); });
}

void Stream::wait_idle() const {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return shared_->is_idle(); });
}

std::optional<Error> Stream::take_fault() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->fault, std::nullopt);
}

void Stream::drop_queued() {
  std::deque<Work> dropped;  // ends without the lock: records tell who waits for them
  const std::lock_guard lock(shared_->mutex);
  dropped.swap(shared_->queue);
  shared_->changed.notify_all();
}

bool Stream::started() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->started;
}

void Stream::main(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    shared->changed.wait(lock, [&] { return shared->closing || !shared->queue.empty(); });
    if (shared->queue.empty()) return;
    const Work work = std::move(shared->queue.front());
    shared->queue.pop_front();
    shared->busy = true;
    lock.unlock();
    Result<void> result = work();
    lock.lock();
    shared->busy = false;
    if (!result && !shared->fault) shared->fault = std::move(result).error();
    shared->changed.notify_all();
  }
}

}  // namespace taskmill::sim
