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
#include <set>
#include <thread>

#include "taskmill/driver.h"

namespace taskmill::sim {

// Records are numbered; a wait is for a number, whatever other records do. Destroying an event with pending records is
// legal: its work keeps it.
class Event {
 public:
  // The number of a new record, whose completion is still to come.
  uint64_t begin_record();
  void complete(uint64_t record, uint64_t now_ns);
  // The record counts as complete, if it is not: nothing will complete it.
  void drop(uint64_t record);
  uint64_t newest() const;
  bool is_complete(uint64_t record) const;
  // False: time ran out.
  bool wait(uint64_t record, std::chrono::milliseconds timeout) const;
  void wait(uint64_t record) const;
  // When the newest complete record completed; none if there is none.
  std::optional<uint64_t> timestamp() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  uint64_t begun_ = 0;
  std::set<uint64_t> pending_;
  uint64_t newest_completed_ = 0;
  uint64_t timestamp_ = 0;
};

// A record on its way through a stream. Destroyed before it completed, because its stream's work was dropped, it lets go of
// who waits for it.
class PendingRecord {
 public:
  explicit PendingRecord(std::shared_ptr<Event> event) : event_(std::move(event)), number_(event_->begin_record()) {}
  ~PendingRecord() { event_->drop(number_); }
  PendingRecord(const PendingRecord&) = delete;
  PendingRecord& operator=(const PendingRecord&) = delete;

  void complete(uint64_t now_ns) { event_->complete(number_, now_ns); }

 private:
  const std::shared_ptr<Event> event_;
  const uint64_t number_;
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
