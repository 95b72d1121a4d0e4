// Parts of the pool, stepped by the test's own thread.
#include "driver/sim/pool_run.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <future>
#include <thread>

#include "driver/sim/kernel_guard.h"
#include "driver/toy_run.h"

namespace taskmill::sim {
namespace {

Worker* stepping = nullptr;                  // who runs the units
const wire::CoreContext* stepped = nullptr;  // the core that was stepped last
bool held = true;                            // by the worker, in every step

wire::Step watched_step(wire::CoreContext* context) {
  stepped = context;
  held = held && stepping->holds(context);
  return toy::core_step(context);
}

constexpr wire::AicoreProgram kAicore = {wire::kProgramVersion, 1, &watched_step, &toy::core_trap};

std::shared_ptr<RunTicket> ticket_of(toy::ToyRun& run) {
  return std::make_shared<RunTicket>(RunTicket::Program{&toy::kEntries[0], &kAicore, run.launch(), {}});
}

TEST(PoolRun, a_run_that_always_has_work_ends_its_turn_and_goes_on_with_the_next) {
  const std::shared_ptr<Pool> pool = Pool::acquire(1);
  uint32_t gate = 0;
  toy::ToyRun toy(1);
  toy.plan().busy = reinterpret_cast<uint64_t>(&gate);
  const auto ticket = ticket_of(toy);
  const auto run = std::make_shared<PoolRun>(ticket, pool.get(), &monotonic_clock(), false);
  Worker worker;
  stepping = &worker;
  ASSERT_TRUE(run->begin());
  EXPECT_TRUE(run->run_units(worker)) << "it returns, with a scheduler queued";
  EXPECT_EQ(run->waiting_units(), 1u);
  gate = 1;
  const std::atomic<bool> given_up{false};
  EXPECT_TRUE(run->orchestrate(given_up));
  while (run->run_units(worker)) {
  }
  EXPECT_EQ(ticket->wait(Processor::kAicpu) + ticket->wait(Processor::kAicore), "");
}

TEST(PoolRun, a_worker_holds_a_core_while_it_steps_it_and_no_longer) {
  const std::shared_ptr<Pool> pool = Pool::acquire(1);
  toy::ToyRun toy(1);
  const auto ticket = ticket_of(toy);
  const auto run = std::make_shared<PoolRun>(ticket, pool.get(), &monotonic_clock(), false);
  Worker worker;
  stepping = &worker;
  held = true;
  ASSERT_TRUE(run->begin());
  EXPECT_TRUE(run->run_units(worker));
  ASSERT_NE(stepped, nullptr);
  EXPECT_TRUE(held);
  EXPECT_FALSE(worker.holds(stepped)) << "who looks for the one that is stuck on this core must not find this worker";
  const std::atomic<bool> given_up{false};
  EXPECT_TRUE(run->orchestrate(given_up));
  while (run->run_units(worker)) {
  }
  EXPECT_EQ(ticket->wait(Processor::kAicpu) + ticket->wait(Processor::kAicore), "");
}

// What the thread that is parked shares with the test: it stays behind.
struct Shielded {
  std::atomic<bool> given_up{false};
  std::mutex mutex;
  std::promise<void> released;
};

TEST(ParkShield, a_thread_that_is_given_up_inside_lets_go_of_its_locks_before_it_parks) {
  const HandlerInstallation handlers;
  const auto shared = std::make_shared<Shielded>();
  std::thread([shared] {
    Trap trap;
    call_guarded(
        [](void* argument) {
          auto& shared = *static_cast<Shielded*>(argument);
          const ParkShield shield;
          {
            const std::lock_guard lock(shared.mutex);
            shared.given_up = true;
            park_thread(pthread_self());
          }
          shared.released.set_value();
        },
        shared.get(), shared->given_up, &trap);
    std::abort();  // it was to park as the shield ended
  }).detach();
  shared->released.get_future().wait();
  const std::lock_guard lock(shared->mutex);
}

}  // namespace
}  // namespace taskmill::sim
