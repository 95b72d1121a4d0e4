// Containment of user code on executor threads: a hardware fault inside it (SEGV, BUS, FPE, ILL, stack overflow) jumps back
// to before the call, and a call that never ends can be parked. Outside such calls faults go to the handlers that were
// installed before ours, so that a sanitizer's or Python's report stays what it was.
//
// A thread whose user code faulted or was given up may hold locks of the C library: it must not allocate any more, and
// parks for ever.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdint>

namespace taskmill::sim {

struct Trap {
  int signal = 0;
  uint64_t address = 0;
};

// Keeps the process's signal handlers installed while one lives. Handlers that others installed in the meantime are put
// behind ours when the next one is made.
class HandlerInstallation {
 public:
  HandlerInstallation();
  ~HandlerInstallation();
  HandlerInstallation(const HandlerInstallation&) = delete;
  HandlerInstallation& operator=(const HandlerInstallation&) = delete;
};

// Gives the calling thread an alternate signal stack, so that a stack overflow can be handled. Lives on that thread's stack.
class GuardedThread {
 public:
  GuardedThread();
  ~GuardedThread();
  GuardedThread(const GuardedThread&) = delete;
  GuardedThread& operator=(const GuardedThread&) = delete;

 private:
  void* memory_;
  stack_t previous_;
};

// Calls function(argument). False: it faulted, *trap says how, and the thread may only do what needs no allocation before
// it parks. While the call runs and *given_up is true, park_signal() sent to the thread parks it.
bool call_guarded(void (*function)(void*), void* argument, const std::atomic<bool>& given_up, Trap* trap);

// Parks `thread` if it is inside a call whose given_up flag is set. REQUIRES: the thread never exits once given up.
void park_thread(pthread_t thread);

// What user code calls of ours may hold locks that others need. While one lives, park_signal() leaves its thread alone; if
// the thread was given up, it parks as the outermost one ends.
class ParkShield {
 public:
  ParkShield();
  ~ParkShield();
  ParkShield(const ParkShield&) = delete;
  ParkShield& operator=(const ParkShield&) = delete;
};

[[noreturn]] void park_for_ever();

}  // namespace taskmill::sim
