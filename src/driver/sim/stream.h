// Streams and events of a simulated device. A stream is a queue with a thread of its own, started with its first work;
// streams are independent. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "taskmill/driver.h"

namespace taskmill::sim {

// Records are numbered; a wait is for a number. Destroying an event with pending records is legal: its work keeps it.
class Event {
 public:
  // The number of a new record, whose completion is still to come.
  uint64_t begin_record();
  void complete(uint64_t record, uint64_t now_ns);
  uint64_t newest() const;
  // Is that record, or a newer one, complete?
  bool is_complete(uint64_t record) const;
  // False: time ran out.
  bool wait(uint64_t record, std::chrono::milliseconds timeout) const;
  void wait(uint64_t record) const;
  // All records count as complete: nothing will complete them.
  void give_up();
  // When the newest complete record completed; none if there is none.
  std::optional<uint64_t> timestamp() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  uint64_t begun_ = 0;
  uint64_t completed_ = 0;
  uint64_t timestamp_ = 0;
};

class Stream {
 public:
  using Work = std::function<Result<void>()>;

  Stream();
  // Waits for the work at hand; what is queued behind it is dropped.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Later work runs even if this fails.
  void enqueue(Work work);
  bool idle() const;
  // False: time ran out.
  bool wait_idle(std::chrono::milliseconds timeout) const;
  void wait_idle() const;
  // The first failure since it was last taken.
  std::optional<Error> take_fault();
  // Drops what is queued; the work at hand goes on to its end.
  void drop_queued();
  bool started() const;

 private:
  struct Shared;
  static void main(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;  // guarded by Shared::mutex
};

}  // namespace taskmill::sim
