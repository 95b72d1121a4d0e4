// Every schedule of small runs, and many runs one after another over the same memory.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "harness.h"
#include "referee.h"
#include "wire/token.h"

namespace taskmill::test {
namespace {

constexpr int32_t kBump = 0, kTouch = 1, kAddOne = 2;

void set_kernels(Chip& chip) {
  chip.set_kernel(kBump, bump_kernel);
  chip.set_kernel(kTouch, touch_kernel);
  chip.set_kernel(kAddOne, add_one_kernel);
}

bool is_new(Chip& chip, sim::Unit unit) {
  if (unit.kind != sim::UnitKind::kCore) return false;
  return wire::token_generation(chip.registers(unit.index).answer()) != wire::run_generation(chip.launch().run_serial);
}

// A step of a core that changes nothing that anybody sees: it finds no new word, or leaves. When it comes does not matter.
bool is_silent(Chip& chip, sim::Unit unit) {
  if (unit.kind != sim::UnitKind::kCore || is_new(chip, unit)) return false;
  const uint32_t cond = chip.registers(unit.index).answer(), word = chip.registers(unit.index).received();
  const bool listens = wire::is_finished(cond) || wire::token_sequence(cond) == wire::kHelloSequence;
  if (!listens) return false;
  return wire::token_generation(word) != wire::token_generation(cond) || word == (cond & ~wire::kFinished) ||
         wire::token_sequence(word) == wire::kExitSequence;
}

bool is_core(sim::Unit unit, uint32_t index) { return unit == sim::Unit{sim::UnitKind::kCore, index}; }

struct Walked {
  uint64_t schedules = 0;
  uint64_t with_followers = 0;
};

// Runs `body` under every schedule. The orchestration goes first and at once, cores that the test is not about too.
template <class Check>
Walked walk(Chip& chip, const Body& body, const EverySchedule::Forced& forced, Check&& check) {
  EverySchedule schedule(
      [&](sim::Unit unit) { return unit.kind == sim::UnitKind::kOrchestrator || is_silent(chip, unit) || forced(unit); });
  sim::SeededOptions options;
  options.hooks.choose = [&](std::span<const sim::Unit> units) { return schedule.choose(units); };
  sim::SeededExecutor executor(options);
  Walked walked;
  do {
    const RunReport report = chip.run(executor, body);
    EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
    EXPECT_EQ(report.code(), ErrorCode::kOk) << report.message();
    check(report);
    walked.with_followers += Referee::current().followers() > 0;
    ++walked.schedules;
  } while (schedule.next() && !testing::Test::HasFailure());
  testing::Test::RecordProperty("schedules", static_cast<int64_t>(walked.schedules));
  return walked;
}

TEST(Schedules, one_core_runs_independent_tasks_in_every_order_of_dispatch_ACK_and_FIN) {
  Chip chip({});
  set_kernels(chip);
  const Body body = [](const OrchestrationArgs&) {
    for (int i = 0; i < 4; ++i) submit_aic_task(kTouch, TaskArgs());
  };
  touched() = 0;
  uint64_t expected = 0;
  const Walked walked = walk(
      chip, body, [](sim::Unit unit) { return is_core(unit, 1) || is_core(unit, 2); },
      [&](const RunReport&) { EXPECT_EQ(touched(), expected += 4); });
  EXPECT_GT(walked.schedules, 50u);
  EXPECT_GT(walked.with_followers, 0u);
  EXPECT_LT(walked.with_followers, walked.schedules) << "some schedules leave no time for a follower";
}

TEST(Schedules, one_core_runs_a_chain_in_every_order) {
  std::vector<float> value(1, 0);
  Chip chip({});
  set_kernels(chip);
  chip.add_tensor(value.data(), {1}, DataType::kFloat32);
  const Body body = [](const OrchestrationArgs& args) {
    for (int i = 0; i < 4; ++i) submit_aic_task(kBump, TaskArgs().add_inout(args.tensor(0)));
  };
  float expected = 0;
  const Walked walked = walk(
      chip, body, [](sim::Unit unit) { return is_core(unit, 1) || is_core(unit, 2); },
      [&](const RunReport&) { EXPECT_EQ(value[0], expected += 4); });
  EXPECT_GT(walked.schedules, 10u);
  EXPECT_EQ(walked.with_followers, 0u) << "a chain has never two ready tasks";
}

TEST(Schedules, two_cores_run_a_fork_and_a_join_in_every_order) {
  std::vector<float> values(3, 0);
  Chip chip({});
  set_kernels(chip);
  chip.add_tensor(values.data(), {3, 1}, DataType::kFloat32);
  const Body body = [](const OrchestrationArgs& args) {
    const Tensor &all = args.tensor(0), left = all.rows(0), right = all.rows(1), last = all.rows(2);
    submit_aiv_task(kBump, TaskArgs().add_inout(left));
    submit_aiv_task(kBump, TaskArgs().add_inout(right));
    submit_aiv_task(kAddOne, TaskArgs().add_input(left).add_output(last));
  };
  float round = 0;
  const Walked walked = walk(
      chip, body, [&](sim::Unit unit) { return is_core(unit, 0) || is_new(chip, unit); },
      [&](const RunReport&) {
        ++round;
        EXPECT_EQ(values, (std::vector<float>{round, round, round + 1}));
      });
  EXPECT_GT(walked.schedules, 100u);
}

TEST(Schedules, two_cores_take_followers_only_when_both_are_busy_in_every_order) {
  Chip chip({});
  set_kernels(chip);
  const Body body = [](const OrchestrationArgs&) {
    for (int i = 0; i < 3; ++i) submit_aiv_task(kTouch, TaskArgs());
  };
  touched() = 0;
  uint64_t expected = 0;
  const Walked walked = walk(
      chip, body, [&](sim::Unit unit) { return is_core(unit, 0) || is_new(chip, unit); },
      [&](const RunReport&) { EXPECT_EQ(touched(), expected += 3); });
  EXPECT_GT(walked.schedules, 100u);
  EXPECT_GT(walked.with_followers, 0u);  // the referee checks each
}

TEST(Schedules, F15_no_run_of_a_thousand_takes_a_word_of_an_earlier_one) {
  constexpr uint32_t kTasks[] = {1, 37, 2, 500, 0, 3, 64, 1, 11};
  std::mt19937_64 random(15);
  sim::SeededOptions options;
  options.seed = 15;
  // Cores and AICPU start at random times: cores long before it, and it long before them.
  options.hooks.start_delay_ns = [&](sim::Unit) { return random() % 5000; };
  options.cost.kernel_ns = [](const wire::CoreContext& context) { return 100 + 37 * (context.payload.task % 5); };
  sim::SeededExecutor executor(options);
  Chip chip(
      {.clusters = 2, .sizes = equal_rings({.task_window = 32, .argument_lines = 64, .edge_nodes = 4, .reserved = 0, .heap_bytes = 1024})});
  set_kernels(chip);
  touched() = 0;
  uint64_t expected = 0;
  for (uint32_t run = 0; run < 1000; ++run) {
    const uint32_t tasks = kTasks[run % std::size(kTasks)];
    const RunReport report = chip.run(executor, [&](const OrchestrationArgs&) {
      for (uint32_t i = 0; i < tasks; ++i) submit(TaskArgs().spec(kTouch, i % 3 == 0 ? CoreType::kAic : CoreType::kAiv));
    });
    ASSERT_TRUE(report.outcome.finished()) << "run " << run << ": " << report.outcome.waiting;
    ASSERT_EQ(report.code(), ErrorCode::kOk);
    ASSERT_EQ(report.outcome.kernels, tasks) << "run " << run;
    ASSERT_EQ(report.result.completed, tasks) << "run " << run;
    ASSERT_EQ(touched(), expected += tasks) << "run " << run;
  }
}

// Proves that the runs above would have hung on a lost wake-up: the executor ends a sleep only by the call that is due.
TEST(Schedules, a_forgotten_wake_or_notification_leaves_the_run_asleep) {
  const Body body = [](const OrchestrationArgs&) {
    for (int i = 0; i < 20; ++i) submit_aic_task(kTouch, TaskArgs());
  };
  for (const sim::PortCall forgotten : {sim::PortCall::kWake, sim::PortCall::kNotify, sim::PortCall::kDispatch}) {
    Chip chip({.sizes = equal_rings({.task_window = 4, .argument_lines = 64, .edge_nodes = 4, .reserved = 0, .heap_bytes = 1024})});
    set_kernels(chip);
    sim::SeededOptions options;
    options.hooks.start_delay_ns = [](sim::Unit unit) { return unit.kind == sim::UnitKind::kOrchestrator ? 1000 : 0; };
    EXPECT_TRUE(chip.run(options, body).outcome.finished());
    options.hooks.drop = [=](sim::PortCall call, sim::Unit) { return call == forgotten; };
    EXPECT_EQ(chip.run(options, body).outcome.end, sim::RunEnd::kDeadlock) << static_cast<int>(forgotten);
  }
}

}  // namespace
}  // namespace taskmill::test
