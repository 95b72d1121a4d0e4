// Kernels for the toy programs, one way of behaving each.
#include "driver/programs/kernels.h"

#include <pthread.h>
#include <signal.h>

#include "taskmill/kernel.h"

using taskmill::scalar;
using taskmill::toy::Shared;

namespace {

Shared& shared(const int64_t* args) { return *scalar<Shared*>(args, 1); }
void begin(const int64_t* args) {
  __atomic_fetch_add(&shared(args).started, 1, __ATOMIC_ACQ_REL);
  // Jobs that are kMaxThreads apart share a place, and may run at once.
  __atomic_store_n(&shared(args).threads[scalar<uint32_t>(args, 0) % taskmill::toy::kMaxThreads], pthread_self(), __ATOMIC_RELAXED);
}
void end(const int64_t* args) { __atomic_fetch_add(&shared(args).counter, 1, __ATOMIC_ACQ_REL); }

volatile uint64_t bad_address = 0x40;
volatile int zero = 0;
volatile int seven = 7;
uint32_t loads_of_this_object = 0;

// Every frame writes to the one above, so none can be left out.
__attribute__((noinline)) uint64_t dig(volatile uint8_t* above, uint64_t level) {
  volatile uint8_t here[4096];
  above[level % sizeof here] = static_cast<uint8_t>(level);
  if (level == UINT64_MAX) return 0;
  return dig(here, level + 1) + here[level % sizeof here];
}

}  // namespace

#define TOY_KERNEL extern "C" __attribute__((visibility("default"))) void

TOY_KERNEL count(int64_t* args) {
  begin(args);
  end(args);
}

TOY_KERNEL work(int64_t* args) {
  begin(args);
  volatile uint64_t sum = 0;
  for (uint32_t i = 0; i < shared(args).amount; ++i) sum = sum + i;
  end(args);
}

// Job i waits for rung i from below, without and with telling: only the last job can go first.
TOY_KERNEL climb_spinning(int64_t* args) {
  begin(args);
  Shared& s = shared(args);
  const auto job = scalar<uint32_t>(args, 0);
  // Relaxed while it spins: an acquire is a lock in the thread sanitizer, which the spinners would keep from the writer.
  while (__atomic_load_n(&s.rung, __ATOMIC_RELAXED) + job + 1 != s.rungs) {
  }
  (void)__atomic_load_n(&s.rung, __ATOMIC_ACQUIRE);
  __atomic_store_n(&s.rung, s.rungs - job, __ATOMIC_RELEASE);
  if (__atomic_load_n(&s.threads[job % taskmill::toy::kMaxThreads], __ATOMIC_RELAXED) != pthread_self())
    __atomic_fetch_add(&s.migrations, 1, __ATOMIC_ACQ_REL);
  end(args);
}

TOY_KERNEL climb_waiting(int64_t* args) {
  begin(args);
  Shared& s = shared(args);
  const auto job = scalar<uint32_t>(args, 0);
  taskmill::wait_until(args, &s.rung, [&](uint32_t rung) { return rung + job + 1 == s.rungs; });
  __atomic_store_n(&s.rung, s.rungs - job, __ATOMIC_RELEASE);
  end(args);
}

TOY_KERNEL wait_at_gate(int64_t* args) {
  begin(args);
  taskmill::wait_until(args, &shared(args).gate, [](uint32_t gate) { return gate != 0; });
  end(args);
}

TOY_KERNEL spin_for_ever(int64_t* args) {
  begin(args);
  for (volatile bool go = true; go;) {
  }
}

TOY_KERNEL raise_segv(int64_t* args) {
  begin(args);
  (void)*reinterpret_cast<volatile uint32_t*>(bad_address);
}

TOY_KERNEL raise_bus(int64_t* args) {
  begin(args);
  raise(SIGBUS);
}

// The fault is what the test is about.
TOY_KERNEL __attribute__((no_sanitize("undefined"))) raise_fpe(int64_t* args) {
  begin(args);
  shared(args).amount = static_cast<uint32_t>(seven / zero);
}

TOY_KERNEL raise_ill(int64_t* args) {
  begin(args);
  __builtin_trap();
}

TOY_KERNEL overflow_the_stack(int64_t* args) {
  begin(args);
  volatile uint8_t top[4096];
  shared(args).amount = static_cast<uint32_t>(dig(top, 0));
}

TOY_KERNEL count_loads(int64_t* args) {
  begin(args);
  shared(args).amount = ++loads_of_this_object;
  end(args);
}

// An orchestration's part: the plan's user block. Each waits for something or dies.
extern "C" __attribute__((visibility("default"))) void orchestrate_for_ever(uint64_t) {
  for (volatile bool go = true; go;) {
  }
}
extern "C" __attribute__((visibility("default"))) void orchestrate_and_die(uint64_t) {
  (void)*reinterpret_cast<volatile uint32_t*>(bad_address);
}
