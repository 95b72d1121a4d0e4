#include "driver/sim/seeded_executor.h"

#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "driver/toy_run.h"
#include "taskmill/error.h"

namespace taskmill::sim {
namespace {

using toy::ToyRun;

constexpr wire::AicoreProgram kAicore = {wire::kProgramVersion, 1, &toy::core_step, &toy::core_trap};

SeededOutcome play(SeededExecutor& executor, ToyRun& run) { return executor.run(toy::kEntries[0], kAicore, run.launch()); }

SeededOutcome play(ToyRun& run, SeededOptions options = {}) {
  SeededExecutor executor(std::move(options));
  return play(executor, run);
}

void count(int64_t* args) { ++*scalar<uint32_t*>(args, 1); }
void nothing(int64_t*) {}

struct Ladder {
  uint32_t rung = 0;
  uint32_t steps = 0;
};
// Job i waits for rung i + 1 and then opens rung i: only the last job can end first.
void climb(int64_t* args) {
  auto* ladder = scalar<Ladder*>(args, 1);
  const auto job = scalar<uint32_t>(args, 0);
  wait_until(args, &ladder->rung, [&](uint32_t rung) { return rung + job + 1 == ladder->steps; });
  __atomic_store_n(&ladder->rung, ladder->steps - job, __ATOMIC_RELEASE);
}
void wait_for_ever(int64_t* args) {
  wait_until(args, scalar<uint32_t*>(args, 1), [](uint32_t) { return false; });
}
void spin_for_ever(int64_t*) {
  for (volatile bool go = true; go;) {
  }
}
volatile uint64_t bad_address = 0x40;
void crash(int64_t*) { *reinterpret_cast<volatile uint32_t*>(bad_address) = 1; }

TEST(SeededExecutor, runs_every_job_once_on_72_and_108_cores) {
  for (const uint32_t clusters : {1u, 24u, 36u}) {
    for (const uint32_t threads : {1u, 3u}) {
      uint32_t done = 0;
      ToyRun run(clusters, threads);
      run.add_jobs(400, &count);
      run.set_user(&done);
      const SeededOutcome outcome = play(run);
      EXPECT_TRUE(outcome.finished()) << outcome.waiting;
      EXPECT_EQ(done, 400u);
      EXPECT_EQ(outcome.kernels, 400u);
      EXPECT_EQ(run.result().run_serial, 1u);
      EXPECT_EQ(run.result().completed, 400u);
    }
  }
}

TEST(SeededExecutor, the_same_seed_gives_the_same_order) {
  std::set<uint64_t> orders;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    uint64_t first = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      uint32_t done = 0;
      ToyRun run(4, 2);
      run.add_jobs(60, &count);
      run.set_user(&done);
      const SeededOutcome outcome = play(run, {.seed = seed});
      ASSERT_TRUE(outcome.finished());
      if (repeat == 0) first = outcome.order_hash;
      EXPECT_EQ(outcome.order_hash, first);
    }
    orders.insert(first);
  }
  EXPECT_EQ(orders.size(), 8u) << "different seeds must differ";
}

TEST(SeededExecutor, kernels_that_wait_for_one_another_all_run) {
  Ladder ladder{.steps = 72};
  ToyRun run(24);
  run.add_jobs(72, &climb);
  run.set_user(&ladder);
  const SeededOutcome outcome = play(run);
  EXPECT_TRUE(outcome.finished()) << outcome.waiting;
  EXPECT_EQ(ladder.rung, 72u);
  EXPECT_EQ(outcome.peak_kernels, 72u);
}

TEST(SeededExecutor, an_orchestration_that_blocks_goes_on_when_jobs_complete) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    uint32_t done = 0;
    ToyRun run(2, 2);
    run.add_jobs(50, &count);
    run.plan().window = 3;
    run.set_user(&done);
    const SeededOutcome outcome = play(run, {.seed = seed});
    EXPECT_TRUE(outcome.finished()) << outcome.waiting;
    EXPECT_EQ(done, 50u);
    EXPECT_LE(outcome.peak_kernels, 3u);
  }
}

TEST(SeededExecutor, costs_move_the_virtual_clock_exactly) {
  ToyRun run(2);
  run.add_jobs(12, &nothing);  // six cores, two jobs each
  SeededOptions options;
  options.cost.kernel_ns = [](const wire::CoreContext&) { return 1000; };
  const SeededOutcome outcome = play(run, options);
  EXPECT_TRUE(outcome.finished());
  EXPECT_EQ(outcome.virtual_ns, 2000u);
  EXPECT_EQ(outcome.kernel_ns, 12000u);
  EXPECT_EQ(outcome.peak_kernels, 6u);
}

TEST(SeededExecutor, submits_and_dispatches_cost_what_the_table_says) {
  ToyRun run(1);
  run.add_jobs(3, &nothing);
  SeededOptions options;
  options.cost.submit_ns = 100;
  const SeededOutcome outcome = play(run, options);
  EXPECT_TRUE(outcome.finished());
  EXPECT_EQ(outcome.virtual_ns, 400u);  // three submits and the end of the orchestration

  ToyRun chain(1);
  chain.add_jobs(1, &nothing);
  chain.add_jobs(1, &nothing, 1);
  SeededOptions dispatching;
  dispatching.cost.dispatch_ns = 70;
  const SeededOutcome dispatched = play(chain, dispatching);
  EXPECT_TRUE(dispatched.finished());
  EXPECT_EQ(dispatched.virtual_ns, 70u + 70u + 3 * 70u);  // two jobs in turn, then three EXITs
}

TEST(SeededExecutor, a_timer_fires_when_nothing_else_can_run) {
  uint32_t word = 0;
  ToyRun run(1);
  run.add_jobs(1, &wait_for_ever);
  run.set_user(&word);
  run.launch().kernel_limit_ns = 45'000'000'000;
  const SeededOutcome outcome = play(run);
  EXPECT_EQ(outcome.end, RunEnd::kStuck);
  EXPECT_EQ(outcome.virtual_ns, 45'000'000'000u);
  EXPECT_TRUE(outcome.stuck.test(0));
  EXPECT_EQ(outcome.stuck.count(), 1u);
  EXPECT_EQ(run.result().error.code, static_cast<int32_t>(ErrorCode::kSchedulerTimeout));
  EXPECT_TRUE(run.result().stuck_cores.test(0));
}

TEST(SeededExecutor, reports_a_deadlock_and_who_waits) {
  uint32_t word = 7;
  ToyRun run(1);
  run.add_jobs(4, &wait_for_ever);
  run.plan().window = 1;
  run.set_user(&word);
  const SeededOutcome outcome = play(run);
  EXPECT_EQ(outcome.end, RunEnd::kDeadlock);
  EXPECT_NE(outcome.waiting.find("the orchestration waits for a wake, having seen 0"), std::string::npos) << outcome.waiting;
  EXPECT_NE(outcome.waiting.find("core 0, task 0: its kernel waits for a word that holds 7"), std::string::npos) << outcome.waiting;
}

TEST(SeededExecutor, a_forgotten_port_call_shows) {
  for (const PortCall call : {PortCall::kWake, PortCall::kNotify, PortCall::kDispatch}) {
    uint32_t done = 0;
    ToyRun run(1);
    run.add_jobs(20, &count);
    run.plan().window = 1;
    run.set_user(&done);
    SeededOptions options;
    options.hooks.drop = [&](PortCall made, Unit) { return made == call; };
    EXPECT_EQ(play(run, options).end, RunEnd::kDeadlock) << static_cast<int>(call);
  }
}

TEST(SeededExecutor, units_can_be_chosen_and_delayed) {
  uint32_t done = 0;
  ToyRun run(1);
  run.add_jobs(5, &count);
  run.set_user(&done);
  SeededOptions options;
  std::vector<Unit> order;
  options.hooks.choose = [](std::span<const Unit> units) { return units.size() - 1; };
  options.hooks.start_delay_ns = [](Unit unit) { return unit.kind == UnitKind::kScheduler ? uint64_t{500} : 0; };
  options.hooks.before_step = [&](Unit unit) { order.push_back(unit); };
  const SeededOutcome outcome = play(run, options);
  EXPECT_TRUE(outcome.finished());
  EXPECT_EQ(outcome.virtual_ns, 500u);
  ASSERT_FALSE(order.empty());
  EXPECT_EQ(order.front(), (Unit{UnitKind::kCore, 2}));
}

TEST(SeededExecutor, a_refused_run_calls_nothing_else) {
  uint32_t done = 0;
  ToyRun run(1);
  run.add_jobs(5, &count);
  run.set_user(&done);
  run.plan().refuse = 113;
  const SeededOutcome outcome = play(run);
  EXPECT_EQ(outcome.end, RunEnd::kRefused);
  EXPECT_EQ(outcome.refusal, 113);
  EXPECT_EQ(outcome.steps, 0u);
  EXPECT_EQ(done, 0u);
}

TEST(SeededExecutor, a_crashed_kernel_is_contained_and_the_next_run_works) {
  SeededExecutor executor({});
  ToyRun run(2);
  run.add_jobs(3, &nothing);
  run.add_jobs(1, &crash);
  const SeededOutcome outcome = play(executor, run);
  EXPECT_EQ(outcome.end, RunEnd::kStuck);
  EXPECT_TRUE(outcome.trapped.test(3));
  EXPECT_TRUE(outcome.stuck.empty());
  EXPECT_EQ(run.result().error.code, static_cast<int32_t>(ErrorCode::kKernelCrashed));
  EXPECT_TRUE(run.result().stuck_cores.test(3));

  uint32_t done = 0;
  ToyRun next(2);
  next.add_jobs(10, &count);
  next.set_user(&done);
  EXPECT_TRUE(play(executor, next).finished());
  EXPECT_EQ(done, 10u);
}

TEST(SeededExecutor, a_crashed_orchestration_is_contained) {
  ToyRun run(1);
  run.add_jobs(1, &nothing);
  run.launch().orchestration_entry = reinterpret_cast<uint64_t>(static_cast<void (*)(uint64_t)>([](uint64_t) { crash(nullptr); }));
  const SeededOutcome outcome = play(run);
  EXPECT_EQ(outcome.end, RunEnd::kAbandoned);
  EXPECT_EQ(outcome.fault, "the orchestration died of signal " + std::to_string(SIGSEGV) + " at address 64");
}

TEST(SeededExecutor, abandon_gives_a_spinning_kernel_up) {
  SeededExecutor executor({});
  ToyRun run(1);
  run.add_jobs(1, [](int64_t* args) {
    scalar<SeededExecutor*>(args, 1)->abandon();
    spin_for_ever(args);
  });
  run.set_user(&executor);
  EXPECT_EQ(play(executor, run).end, RunEnd::kAbandoned);
  EXPECT_EQ(executor.threads(), 1u) << "the stuck thread is no longer counted, the spare one is";
}

TEST(SeededExecutor, a_step_limit_ends_a_run_that_never_rests) {
  ToyRun run(1);
  run.add_jobs(100, &nothing);
  EXPECT_EQ(play(run, {.max_steps = 50}).end, RunEnd::kStepLimit);
}

TEST(SeededExecutor, one_half_of_a_run_leaves_when_told) {
  ToyRun run(1);
  auto* registers = reinterpret_cast<wire::CoreRegisters*>(run.launch().registers);
  SeededExecutor executor({});
  EXPECT_EQ(executor.run(nullptr, &kAicore, run.launch()).end, RunEnd::kStuck);
  for (int core = 0; core < 3; ++core) registers[core].send(0x00ff'ffff);  // EXIT of generation 1
  EXPECT_EQ(executor.run(nullptr, &kAicore, run.launch()).end, RunEnd::kFinished);
}

TEST(SeededExecutor, noncoherent_views_work_with_the_calls_and_fail_without) {
  const auto play_noncoherent = [](std::function<bool(PortCall, Unit)> drop) {
    uint32_t done = 0;
    ToyRun run(2);
    run.add_jobs(30, &count);
    run.set_user(&done);
    SeededOptions options;
    options.noncoherent = true;
    options.hooks.drop = std::move(drop);
    const SeededOutcome outcome = play(run, options);
    return outcome.finished() && done == 30 && run.result().error.code == 0;
  };
  EXPECT_TRUE(play_noncoherent({}));
  for (const PortCall call : {PortCall::kPublish, PortCall::kInvalidate, PortCall::kClean}) {
    EXPECT_FALSE(play_noncoherent([&](PortCall made, Unit) { return made == call; })) << static_cast<int>(call);
  }
  EXPECT_FALSE(play_noncoherent([](PortCall made, Unit by) { return made == PortCall::kInvalidate && by.kind == UnitKind::kScheduler; }));
}

}  // namespace
}  // namespace taskmill::sim
