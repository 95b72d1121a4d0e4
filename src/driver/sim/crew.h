// Threads of which one at a time acts: whoever holds the baton. A carrier hands the baton on in the middle of a call (its
// stack keeps the call) and goes on when the baton comes back to it; carriers without such a call are spares.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace taskmill::sim {

class Crew;

class Carrier {
 public:
  // What a spare does when it is given the baton. Must call Crew::retire or Crew::lose before it passes the baton on for good.
  class Act {
   public:
    virtual ~Act() = default;
    virtual void play(Carrier& carrier) = 0;
  };

  pthread_t thread() { return thread_.native_handle(); }

 private:
  friend class Crew;
  std::thread thread_;
  std::condition_variable changed_;
  bool has_baton_ = false;    // guarded by Crew::mutex_, as all below
  bool leave_ = false;        // a spare ends its thread
  std::shared_ptr<Act> act_;  // what to play with the baton, for a spare
};

class Crew : public std::enable_shared_from_this<Crew> {
 public:
  static std::shared_ptr<Crew> make() { return std::shared_ptr<Crew>(new Crew); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Gives the baton to a spare, started if there is none, to play `act`.
  void give_spare(std::shared_ptr<Carrier::Act> act);
  // Gives the baton to a carrier that waits in await().
  void give(Carrier& carrier);
  void await(Carrier& carrier);
  // The carrier is a spare again as soon as its play() returns.
  void retire(Carrier& carrier);
  // The carrier's thread will never come back: it parks, or sits in a call that never ends. Allocates nothing.
  void lose(Carrier& carrier);
  // Ends the threads of all spares. REQUIRES: nobody acts.
  void disband();

  uint32_t threads() const;

 private:
  Crew() = default;
  void main(const std::shared_ptr<Carrier>& carrier);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Carrier>> spares_;
  std::vector<std::shared_ptr<Carrier>> all_;  // but the lost ones
};

}  // namespace taskmill::sim
