// The pool executor: liveness, containment of user code, sharing, start and end.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>

#include "driver/device_toy.h"
#include "driver/sim/sim_device.h"
#include "support/cpus.h"
#include "taskmill/error.h"

namespace taskmill {
namespace {

using toy::Toy;

std::unique_ptr<Device> open(SimOptions options = {}) {
  auto device = open_sim_device(options);
  if (!device) ADD_FAILURE() << device.error().message;
  return device ? *std::move(device) : nullptr;
}

#define EXPECT_OK(result)                            \
  do {                                               \
    const auto outcome = (result);                   \
    EXPECT_TRUE(outcome) << outcome.error().message; \
  } while (false)

uint32_t threads_of_this_process() {
  uint32_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}
uint32_t files_of_this_process() {
  uint32_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST(Pool, runs_every_job_once_on_any_number_of_threads_and_schedulers) {
  for (const uint32_t threads : {1u, 2u, 8u}) {
    for (const arch::ArchId arch : {arch::ArchId::kA2a3}) {
      const auto device = open({.arch = arch, .threads = threads});
      Toy toy(*device);
      for (const uint32_t schedulers : {1u, 3u}) {
        toy.prepare(600, "count", schedulers);
        EXPECT_OK(toy.run());
        EXPECT_EQ(toy.read_shared().counter, 600u);
        EXPECT_EQ(toy.result().completed, 600u);
      }
    }
  }
}

TEST(Pool, wakes_an_orchestration_that_waits_for_room) {
  const auto device = open();
  Toy toy(*device, 2);
  for (uint32_t window = 1; window <= 8; ++window) {
    toy.prepare(800, "count", 2);
    toy.plan().window = window;
    EXPECT_OK(toy.run());
    EXPECT_EQ(toy.read_shared().counter, 800u);
  }
}

// Each kernel spins until a later one has run.
TEST(Pool, grows_until_kernels_that_spin_on_one_another_can_end) {
  const auto device = open({.threads = 2});
  Toy toy(*device);
  toy.prepare(24, "climb_spinning");
  toy.shared().rungs = 24;
  EXPECT_OK(toy.run());
  EXPECT_EQ(toy.read_shared().rung, 24u);
  EXPECT_EQ(toy.read_shared().migrations, 0u);
  EXPECT_GE(device->statistics().threads_peak, 24u);

  const std::set<uint64_t> distinct = [&] {
    const toy::Shared shared = toy.read_shared();
    return std::set<uint64_t>(shared.threads, shared.threads + 24);
  }();
  EXPECT_EQ(distinct.size(), 24u) << "kernels that run at the same time have a thread each";
}

TEST(Pool, lets_others_run_at_once_when_a_kernel_says_that_it_waits) {
  const auto device = open({.threads = 1});
  Toy toy(*device);
  toy.prepare(72, "climb_waiting");
  toy.shared().rungs = 72;
  EXPECT_OK(toy.run());
  EXPECT_EQ(toy.read_shared().rung, 72u);
}

TEST(Pool, gives_threads_beyond_the_cpus_back) {
  const auto device = open({.threads = 2});
  Toy toy(*device);
  const uint32_t before = device->statistics().threads;
  toy.prepare(40, "climb_waiting");
  toy.shared().rungs = 40;
  EXPECT_OK(toy.run());
  // Whoever was still awake when the run ended leaves as it goes to rest. The streams and the orchestration have threads now.
  while (device->statistics().threads > before + 3) {
  }
}

// ---- containment

struct Crash {
  const char* kernel;
  int signal;
};
class PoolCrash : public testing::TestWithParam<Crash> {};

TEST_P(PoolCrash, is_that_kernels_error_and_the_next_device_works) {
  const auto [kernel, signal] = GetParam();
#ifdef TASKMILL_SANITIZED
  if (std::string(kernel) == "overflow_the_stack") GTEST_SKIP() << "the sanitizers' instrumentation itself faults on an overflown stack";
#endif
  {
    const auto device = open({.threads = 2});
    Toy toy(*device, 4);
    toy.prepare(40, "count", 2);
    toy.add_jobs(1, kernel);
    EXPECT_OK(toy.launch());
    EXPECT_OK(device->synchronize(toy.aicpu_stream(), toy::kPatience));
    const wire::ResultBlock result = toy.result();
    EXPECT_EQ(result.error.code, static_cast<int32_t>(ErrorCode::kKernelCrashed));
    EXPECT_TRUE(result.stuck_cores.test(40 % 12));
    EXPECT_EQ(result.stuck_cores.count(), 1u);

    const auto fault = device->synchronize(toy.aicore_stream(), toy::kPatience);
    ASSERT_FALSE(fault);
    EXPECT_EQ(fault.error().code, ErrorCode::kDeviceFault);
    EXPECT_NE(fault.error().message.find("the kernel on core 4 died"), std::string::npos) << fault.error().message;
    const auto again = device->synchronize(toy.aicore_stream(), toy::kPatience);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::kDeviceLost);
    EXPECT_TRUE(toy.result().error.code != 0) << "a lost device still tells its last result";
  }
  const auto device = open({.threads = 2});
  Toy toy(*device, 4);
  toy.prepare(40, "count", 2);
  EXPECT_OK(toy.run());
  EXPECT_EQ(toy.read_shared().counter, 40u);
}

INSTANTIATE_TEST_SUITE_P(Signals, PoolCrash,
                         testing::Values(Crash{"raise_segv", SIGSEGV}, Crash{"raise_bus", SIGBUS}, Crash{"raise_fpe", SIGFPE},
                                         Crash{"raise_ill", SIGILL}, Crash{"overflow_the_stack", SIGSEGV}),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(Pool, many_kernels_may_crash_at_once) {
  const auto device = open({.threads = 2});
  Toy toy(*device);
  toy.prepare(72, "raise_segv");
  EXPECT_OK(toy.launch());
  EXPECT_OK(device->synchronize(toy.aicpu_stream(), toy::kPatience));
  EXPECT_EQ(toy.result().error.code, static_cast<int32_t>(ErrorCode::kKernelCrashed));
  EXPECT_OK(device->abandon("test"));
}

TEST(Pool, a_kernel_that_never_ends_is_given_up_at_its_limit) {
  sim::ManualClock clock;
  const auto device = open({.threads = 2, .clock = &clock});
  Toy toy(*device, 2);
  toy.prepare(5, "count");
  toy.add_jobs(1, "spin_for_ever");
  toy.block().kernel_limit_ns = 45'000'000'000;
  EXPECT_OK(toy.launch());
  while (toy.started() < 6) {
  }
  EXPECT_FALSE(*device->query(toy.aicpu_stream()));
  clock.advance(45'000'000'000);
  EXPECT_OK(device->synchronize(toy.aicpu_stream(), toy::kPatience));
  const wire::ResultBlock result = toy.result();
  EXPECT_EQ(result.error.code, static_cast<int32_t>(ErrorCode::kSchedulerTimeout));
  EXPECT_TRUE(result.stuck_cores.test(5));
  EXPECT_FALSE(*device->query(toy.aicore_stream())) << "the core has not left";

  EXPECT_OK(device->abandon("core 5 is stuck"));
  EXPECT_TRUE(*device->query(toy.aicore_stream()));
  const auto lost = device->synchronize(toy.aicore_stream(), toy::kPatience);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kDeviceLost);
  EXPECT_NE(lost.error().message.find("core 5 is stuck"), std::string::npos);

  const auto next = open({.threads = 2});
  Toy again(*next, 2);
  again.prepare(40, "count");
  EXPECT_OK(again.run());
  EXPECT_EQ(again.read_shared().counter, 40u);
}

TEST(Pool, an_orchestration_that_dies_or_never_ends_is_contained) {
  for (const char* orchestration : {"orchestrate_and_die", "orchestrate_for_ever"}) {
    const auto device = open({.threads = 2});
    Toy toy(*device, 1);
    toy.prepare(5, "count");
    toy.block().orchestration_entry = toy.kernel(orchestration);
    EXPECT_OK(toy.launch());
    if (std::string(orchestration) == "orchestrate_for_ever") {
      EXPECT_OK(device->abandon("test"));
      EXPECT_EQ(device->health().error().code, ErrorCode::kDeviceLost);
      continue;
    }
    const auto fault = device->synchronize(toy.aicpu_stream(), toy::kPatience);
    ASSERT_FALSE(fault);
    EXPECT_NE(fault.error().message.find("the orchestration died of signal 11 at address 0x40"), std::string::npos)
        << fault.error().message;
  }
  const auto device = open({.threads = 2});
  Toy toy(*device, 1);
  toy.prepare(5, "count");
  EXPECT_OK(toy.run());
}

TEST(Pool, a_device_closed_in_the_middle_of_a_run_ends_it) {
  for (const char* kernel : {"wait_at_gate", "spin_for_ever"}) {
    const auto device = open({.threads = 2});
    Toy toy(*device, 1);
    toy.prepare(2, kernel);
    EXPECT_OK(toy.launch());
    while (toy.started() < 1) {
    }
  }
}

// Workers that ran other units of the run before are not taken for the one that is stuck: closing waits for their ends.
TEST(Pool, the_worker_that_is_given_up_is_the_one_in_the_stuck_kernel) {
  for (int round = 0; round < 20; ++round) {
    const auto device = open({.threads = 8});
    Toy toy(*device, 2);
    toy.prepare(60, "count");
    toy.add_jobs(1, "spin_for_ever", 60);
    EXPECT_OK(toy.launch());
    while (toy.started() < 61) {
    }
    EXPECT_OK(device->abandon("test"));
  }
}

// Kernels that wait hold the pool's locks now and then: whoever is given up lets go of them first.
TEST(Pool, kernels_that_wait_are_given_up_without_the_locks_of_their_run) {
  for (int round = 0; round < 60; ++round) {
    const auto device = open({.threads = 1});
    Toy toy(*device, 2);
    toy.prepare(60, "count");
    toy.add_jobs(6, "wait_at_gate");
    EXPECT_OK(toy.launch());
    while (toy.started() < 61) {
    }
    EXPECT_OK(device->abandon("test"));
  }
}

// ---- sharing, start and end

TEST(Pool, two_devices_share_one_pool) {
  const auto first = open({.threads = 2});
  const auto second = open({.arch = arch::ArchId::kA2a3, .threads = 2});
  EXPECT_EQ(first->statistics().threads, second->statistics().threads);
  Toy one(*first), two(*second);
  for (int round = 0; round < 20; ++round) {
    one.prepare(300, "work");
    two.prepare(300, "work", 2);
    one.shared().amount = two.shared().amount = 200;
    EXPECT_OK(one.launch());
    EXPECT_OK(two.launch());
    EXPECT_OK(one.synchronize());
    EXPECT_OK(two.synchronize());
    EXPECT_EQ(one.read_shared().counter + two.read_shared().counter, 600u);
  }
}

// The first run is never at rest before the second is done.
TEST(Pool, a_busy_device_leaves_the_other_its_turns) {
  const auto busy = open({.threads = 1});
  const auto other = open({.threads = 1});
  Toy one(*busy, 1), two(*other, 1);
  one.prepare(1, "count");
  one.plan().busy = one.shared_address() + offsetof(toy::Shared, gate);
  EXPECT_OK(one.launch());
  while (one.started() < 1) {
  }
  two.prepare(40, "count");
  EXPECT_OK(two.run());
  EXPECT_FALSE(*busy->query(one.aicpu_stream()));
  one.write_gate(1);
  EXPECT_OK(one.synchronize());
}

TEST(Pool, the_loss_of_one_device_leaves_the_other_alone) {
  const auto good = open({.threads = 2});
  const auto bad = open({.threads = 2});
  Toy one(*good), two(*bad);
  one.prepare(900, "work");
  one.shared().amount = 500;
  two.prepare(20, "spin_for_ever");
  EXPECT_OK(two.launch());
  EXPECT_OK(one.launch());
  EXPECT_OK(bad->abandon("test"));
  EXPECT_OK(one.synchronize());
  EXPECT_EQ(one.read_shared().counter, 900u);
  one.prepare(900, "count");
  EXPECT_OK(one.run());
}

TEST(Pool, opening_and_closing_leaks_neither_threads_nor_files_nor_memory) {
  const auto once = [] {
    const auto device = open({.threads = 2});
    Toy toy(*device, 1);
    toy.prepare(10, "count");
    EXPECT_OK(toy.run());
  };
  once();
  const uint32_t threads = threads_of_this_process();
  const uint32_t files = files_of_this_process();
  for (int round = 0; round < 100; ++round) once();
  EXPECT_EQ(threads_of_this_process(), threads);
  EXPECT_EQ(files_of_this_process(), files);
}

TEST(Pool, a_process_may_fork_before_it_opens_a_device) {
#ifdef TASKMILL_SANITIZED
  if (std::string(TASKMILL_SANITIZED) == "thread")
    GTEST_SKIP() << "the thread sanitizer allows no threads after a fork of a process with threads";
#endif
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int status = 1;
    {
      const auto device = open({.threads = 2});
      Toy toy(*device, 1);
      toy.prepare(10, "count");
      if (toy.run() && toy.read_shared().counter == 10) status = 0;
    }
    _exit(status);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Pool, no_thread_runs_before_the_first_device_opens_and_after_the_last_closes) {
  const uint32_t before = threads_of_this_process();
  {
    const auto device = open({.threads = 3});
    EXPECT_EQ(threads_of_this_process(), before + 4) << "three workers and the monitor";
  }
  EXPECT_EQ(threads_of_this_process(), before);
}

// A fault outside kernels goes to whoever handled it before the device was opened.
TEST(Pool, a_fault_outside_kernels_goes_to_the_handler_that_was_there) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process of its own, that has opened no device yet
  EXPECT_EXIT(
      {
        struct sigaction mine = {};
        mine.sa_handler = [](int) { _exit(17); };
        sigaction(SIGSEGV, &mine, nullptr);
        const auto device = open({.threads = 1});
        raise(SIGSEGV);
      },
      testing::ExitedWithCode(17), "");
}

TEST(Pool, a_fault_outside_kernels_without_a_handler_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        signal(SIGILL, SIG_DFL);
        const auto device = open({.threads = 1});
        raise(SIGILL);
      },
      testing::KilledBySignal(SIGILL), "");
}

TEST(Pool, the_environment_gives_the_number_of_threads) {
  setenv("TASKMILL_SIM_THREADS", "5", 1);
  const auto device = open();
  const uint32_t threads = device->statistics().threads;
  setenv("TASKMILL_SIM_THREADS", "many", 1);
  const auto refused = open_sim_device("a2a3sim");
  unsetenv("TASKMILL_SIM_THREADS");
  EXPECT_EQ(threads, 6u) << "five workers and the monitor";
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("TASKMILL_SIM_THREADS=\"many\""), std::string::npos);
}

}  // namespace
}  // namespace taskmill
