// The driver's own table of live handles: nothing below us validates one. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "taskmill/driver.h"

namespace taskmill::driver {

// StaleHandle, saying which.
Error stale_handle(Handle handle, HandleKind expected);

template <class T>
class HandleTable {
 public:
  explicit HandleTable(HandleKind kind) : kind_(kind) {}

  Handle add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    live_.emplace(++last_id_, std::move(object));
    return {kind_, last_id_};
  }
  Result<std::shared_ptr<T>> find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto place = handle.kind == kind_ ? live_.find(handle.id) : live_.end();
    if (place == live_.end()) return tl::unexpected(stale_handle(handle, kind_));
    return place->second;
  }
  Result<std::shared_ptr<T>> remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto place = handle.kind == kind_ ? live_.find(handle.id) : live_.end();
    if (place == live_.end()) return tl::unexpected(stale_handle(handle, kind_));
    std::shared_ptr<T> object = std::move(place->second);
    live_.erase(place);
    return object;
  }
  std::vector<std::shared_ptr<T>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (const auto& [id, object] : live_) objects.push_back(object);
    return objects;
  }
  uint64_t size() const {
    const std::lock_guard lock(mutex_);
    return live_.size();
  }

 private:
  const HandleKind kind_;
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<T>> live_;
  uint64_t last_id_ = 0;
};

}  // namespace taskmill::driver
