// Runs that go wrong: what the result says, and that every unit comes to its end.
#include <gtest/gtest.h>

#include <csignal>
#include <limits>
#include <stdexcept>
#include <vector>

#include "device/aicpu/run_state.h"
#include "harness.h"
#include "wire/token.h"

namespace taskmill::test {
namespace {

using wire::Reason;

constexpr uint64_t kForEver = uint64_t{1} << 60;
constexpr int32_t kBump = 0, kTouch = 1, kSlow = 2, kReports = 3, kDies = 4, kSpins = 5;

int32_t reported_code = 0;

// What a kernel of the ecosystem does through its context: stores a code in the slab of its dispatch.
void reporting_kernel(int64_t* args) {
  const auto* context =
      reinterpret_cast<const wire::CoreContext*>(reinterpret_cast<const std::byte*>(args) - offsetof(wire::CoreContext, args));
  auto* mailboxes = reinterpret_cast<wire::CoreMailbox*>(context->region);
  mailboxes[context->core].slab[wire::payload_slot(wire::token_sequence(context->last_token))].error_code = reported_code;
}

void dying_kernel(int64_t* /*args*/) { std::raise(SIGSEGV); }

uint32_t never_set = 0;
void spinning_kernel(int64_t* args) {
  wait_until(args, &never_set, [](uint32_t value) { return value != 0; });
}

class Failure : public testing::Test {
 protected:
  static constexpr uint64_t kKernelLimit = 45'000'000, kStallLimit = 10'000'000;

  static ChipOptions limits(uint64_t kernel_ns = kKernelLimit, uint64_t stall_ns = kStallLimit) {
    ChipOptions options;
    options.kernel_limit_ns = kernel_ns;
    options.stall_limit_ns = stall_ns;
    return options;
  }

  static void set_kernels(Chip& chip) {
    chip.set_kernel(kBump, bump_kernel);
    chip.set_kernel(kTouch, touch_kernel);
    chip.set_kernel(kSlow, touch_kernel);
    chip.set_kernel(kReports, reporting_kernel);
    chip.set_kernel(kDies, dying_kernel);
    chip.set_kernel(kSpins, spinning_kernel);
    touched() = 0;
  }

  // kSlow takes `slow_ns`, all others 1 µs.
  static sim::SeededOptions seeded(uint64_t seed, uint64_t slow_ns = kForEver) {
    sim::SeededOptions options;
    options.seed = seed;
    options.cost.kernel_ns = [slow_ns](const wire::CoreContext& c) { return c.payload.kernel_id == kSlow ? slow_ns : 1000; };
    options.max_steps = 1'000'000;
    return options;
  }
};

// ---- time limits

TEST_F(Failure, a_kernel_over_its_limit_ends_the_run_and_is_named_with_its_core) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Chip chip(limits());
    set_kernels(chip);
    const RunReport report = chip.run(seeded(seed), [](const OrchestrationArgs&) {
      submit_aiv_task(kTouch, TaskArgs());
      submit_aic_task(kSlow, TaskArgs());
      submit_aiv_task(kTouch, TaskArgs());
    });
    EXPECT_EQ(report.code(), ErrorCode::kSchedulerTimeout);
    EXPECT_EQ(report.result.error.reason, Reason::kKernelOverdue);
    EXPECT_EQ(report.result.error.task, 1u);
    EXPECT_EQ(report.result.error.kernel_id, kSlow);
    EXPECT_EQ(report.result.error.core, 0);
    EXPECT_GE(report.result.error.needed, kKernelLimit);
    EXPECT_LE(report.result.error.needed, kKernelLimit + kKernelLimit / 8 + 8);
    EXPECT_EQ(report.result.error.available, kKernelLimit);
    EXPECT_EQ(report.result.stuck_cores, CoreMask::range(0, 1));
    EXPECT_EQ(report.result.submitted, 3u);
    EXPECT_EQ(report.result.completed, 2u);
    EXPECT_EQ(touched(), 3u) << "two at their time; the slow one when its virtual time came, long after the result";
    touched() = 0;
  }
}

TEST_F(Failure, a_kernel_that_waits_for_ever_ends_in_its_limit) {
  Chip chip(limits());
  set_kernels(chip);
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs&) { submit_aic_task(kSpins, TaskArgs()); });
  EXPECT_EQ(report.result.error.reason, Reason::kKernelOverdue);
  EXPECT_EQ(report.result.stuck_cores, CoreMask::range(0, 1));
  EXPECT_EQ(report.outcome.stuck, CoreMask::range(0, 1));
}

TEST_F(Failure, a_kernel_just_below_its_limit_is_no_error_and_a_limit_of_zero_is_none) {
  const Body body = [](const OrchestrationArgs&) { submit_aic_task(kSlow, TaskArgs()); };
  Chip close(limits());
  set_kernels(close);
  EXPECT_EQ(close.run(seeded(1, kKernelLimit - 1), body).code(), ErrorCode::kOk);
  Chip unlimited(limits(0, 0));
  set_kernels(unlimited);
  EXPECT_EQ(unlimited.run(seeded(1, 1000 * kKernelLimit), body).code(), ErrorCode::kOk);
}

TEST_F(Failure, running_kernels_end_after_an_error_and_nothing_new_is_dispatched) {
  Chip chip(limits());
  set_kernels(chip);
  reported_code = 101;
  const RunReport report = chip.run(seeded(7, kKernelLimit / 2), [](const OrchestrationArgs&) {
    submit_aiv_task(kSlow, TaskArgs());
    submit_aic_task(kReports, TaskArgs());
    submit_aic_task(kTouch, TaskArgs().add_scalar(0));
    for (int i = 0; i < 20; ++i) submit_aic_task(kTouch, TaskArgs());
  });
  EXPECT_EQ(static_cast<int32_t>(report.code()), 101);
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  EXPECT_TRUE(report.result.stuck_cores.empty());
  EXPECT_EQ(report.outcome.kernels, report.result.completed);
  EXPECT_GE(report.result.completed, 2u) << "the slow kernel among them";
  EXPECT_LE(report.result.completed, 4u) << "at most one follower of the reporting kernel";
  EXPECT_GE(report.outcome.virtual_ns, kKernelLimit / 2);
}

TEST_F(Failure, a_second_overdue_kernel_is_stuck_too_while_the_first_one_names_the_error) {
  Chip chip(limits());
  set_kernels(chip);
  const RunReport report = chip.run(seeded(3), [](const OrchestrationArgs&) {
    for (int i = 0; i < 3; ++i) submit_aiv_task(kSlow, TaskArgs());  // two run, one follows
  });
  EXPECT_EQ(report.result.error.reason, Reason::kKernelOverdue);
  EXPECT_EQ(report.result.stuck_cores, CoreMask::range(1, 2));
  EXPECT_EQ(report.result.completed, 0u);
}

TEST_F(Failure, a_core_that_never_starts_while_its_work_waits_is_a_stall_that_names_it) {
  Chip chip(limits());
  set_kernels(chip);
  sim::SeededOptions options = seeded(2);
  options.hooks.start_delay_ns = [](sim::Unit unit) { return unit == sim::Unit{sim::UnitKind::kCore, 0} ? kForEver : 0; };
  const RunReport report = chip.run(options, [](const OrchestrationArgs&) { submit_aic_task(kTouch, TaskArgs()); });
  EXPECT_EQ(report.code(), ErrorCode::kSchedulerTimeout);
  EXPECT_EQ(report.result.error.reason, Reason::kNoProgress);
  EXPECT_EQ(report.result.error.core, 0);
  EXPECT_GE(report.result.error.needed, kStallLimit);
  EXPECT_EQ(report.result.error.available, kStallLimit);
  EXPECT_EQ(report.message(), "no core of the ready task's type has started");
  EXPECT_TRUE(report.outcome.finished()) << "EXIT waits for it";
  EXPECT_EQ(touched(), 0u);
}

TEST_F(Failure, a_core_that_does_not_acknowledge_is_a_stall_and_is_stuck) {
  Chip chip(limits());
  set_kernels(chip);
  sim::SeededOptions options = seeded(2);
  // The core starts, then hears nothing.
  options.hooks.choose = [&chip](std::span<const sim::Unit> units) -> size_t {
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i] == sim::Unit{sim::UnitKind::kCore, 0}) chip.registers(0).send(wire::kNoToken);
      if (units[i] == sim::Unit{sim::UnitKind::kCore, 0}) return i;
    }
    return 0;
  };
  const RunReport report = chip.run(options, [](const OrchestrationArgs&) { submit_aic_task(kTouch, TaskArgs()); });
  EXPECT_EQ(report.result.error.reason, Reason::kNoProgress);
  EXPECT_EQ(report.result.error.core, 0);
  EXPECT_EQ(report.result.error.task, 0u);
  EXPECT_EQ(report.message(), "a core does not acknowledge its dispatch");
  EXPECT_EQ(report.result.stuck_cores, CoreMask::range(0, 1));
}

TEST_F(Failure, an_orchestration_that_does_not_end_is_a_stall_and_is_not_waited_for) {
  Chip chip(limits());
  set_kernels(chip);
  const RunReport report = chip.run(seeded(2), [](const OrchestrationArgs&) {
    submit_aic_task(kTouch, TaskArgs());
    // Sleeps for ever on a word that nobody knows.
    const wire::AicpuPort& port = *Chip::current().seen_launch()->aicpu_port;
    const uint32_t word = 0;
    EXPECT_FALSE(port.block(port.context, &word, 0));
  });
  EXPECT_EQ(report.result.run_serial, 1u) << "written without it";
  EXPECT_EQ(report.result.error.reason, Reason::kNoProgress);
  EXPECT_EQ(report.message(), "the orchestration neither submits nor returns");
  EXPECT_EQ(report.result.error.core, -1);
  EXPECT_EQ(report.result.submitted, wire::kSubmittedUnknown);
  EXPECT_EQ(report.result.completed, 1u);
  EXPECT_EQ(touched(), 1u);
}

// ---- kernels that fail

TEST_F(Failure, a_crash_is_reported_with_task_kernel_core_and_signal) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Chip chip(limits());
    set_kernels(chip);
    const RunReport report = chip.run(seeded(seed), [](const OrchestrationArgs&) {
      submit_aic_task(kTouch, TaskArgs());
      submit_aic_task(kDies, TaskArgs());
    });
    EXPECT_EQ(report.code(), ErrorCode::kKernelCrashed);
    EXPECT_EQ(report.result.error.reason, Reason::kKernelTrap);
    EXPECT_EQ(report.result.error.task, 1u);
    EXPECT_EQ(report.result.error.kernel_id, kDies);
    EXPECT_EQ(report.result.error.core, 0);
    EXPECT_EQ(report.result.error.needed, static_cast<uint64_t>(SIGSEGV));
    EXPECT_EQ(report.result.stuck_cores, CoreMask::range(0, 1));
    EXPECT_EQ(report.result.completed, 1u) << "the task before it, though TRAP hides its FIN";
    EXPECT_EQ(report.outcome.trapped, CoreMask::range(0, 1));
  }
}

TEST_F(Failure, a_crash_leaves_the_follower_of_the_kernel_undone) {
  Chip chip(limits());
  set_kernels(chip);
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs&) {
    submit_aic_task(kDies, TaskArgs());
    submit_aic_task(kTouch, TaskArgs());
  });
  EXPECT_EQ(report.result.error.task, 0u);
  EXPECT_EQ(report.result.completed, 0u);
  EXPECT_EQ(touched(), 0u);
}

TEST_F(Failure, a_code_that_a_kernel_stores_in_its_slab_ends_the_run) {
  Chip chip(limits());
  set_kernels(chip);
  reported_code = 102;
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs&) {
    submit_aiv_task(kTouch, TaskArgs());
    submit_aic_task(kReports, TaskArgs());
  });
  EXPECT_EQ(report.result.error.code, 102);
  EXPECT_EQ(report.result.error.reason, Reason::kKernelReported);
  EXPECT_EQ(report.result.error.task, 1u);
  EXPECT_EQ(report.result.error.kernel_id, kReports);
  EXPECT_EQ(report.result.error.core, 0);
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
}

// ---- orchestrations that fail

TEST_F(Failure, an_unknown_kernel_id_is_refused_at_submit) {
  Chip chip(limits());
  set_kernels(chip);
  for (int32_t id : {6, 8, 1'000'000, -1}) {  // a hole in the table, and beyond it
    const RunReport report = chip.run(seeded(1), [&](const OrchestrationArgs&) {
      submit_aic_task(kTouch, TaskArgs());
      submit_aic_task(id, TaskArgs());
      submit_aic_task(kTouch, TaskArgs());
    });
    EXPECT_EQ(report.code(), ErrorCode::kUnknownKernel);
    EXPECT_EQ(report.result.error.reason, Reason::kUnknownKernelId);
    EXPECT_EQ(report.result.error.kernel_id, id);
    EXPECT_EQ(report.result.submitted, 1u);
    EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  }
}

TEST_F(Failure, a_fatal_error_that_the_orchestration_reports_carries_its_message) {
  Chip chip(limits());
  set_kernels(chip);
  bool seen = false;
  const RunReport report = chip.run(seeded(1), [&](const OrchestrationArgs&) {
    report_fatal("the sequence is longer than the cache");
    seen = is_fatal();
    report_fatal("a later one");
    submit_aic_task(kTouch, TaskArgs());
  });
  EXPECT_TRUE(seen);
  EXPECT_EQ(report.code(), ErrorCode::kExplicitOrchFatal);
  EXPECT_EQ(report.result.error.reason, Reason::kReported);
  EXPECT_EQ(report.message(), "the sequence is longer than the cache");
  EXPECT_EQ(touched(), 0u);
}

TEST_F(Failure, a_reported_code_that_the_table_does_not_have_becomes_ExplicitOrchFatal) {
  Chip chip(limits());
  for (const auto code : {ErrorCode{4711}, ErrorCode::kOk}) {
    const RunReport report = chip.run(seeded(1), [&](const OrchestrationArgs&) { report_fatal("x", code); });
    EXPECT_EQ(report.code(), ErrorCode::kExplicitOrchFatal);
  }
  const RunReport known = chip.run(seeded(1), [](const OrchestrationArgs&) { report_fatal("x", ErrorCode::kInvalidArgs); });
  EXPECT_EQ(known.code(), ErrorCode::kInvalidArgs);
}

TEST_F(Failure, an_exception_that_leaves_the_orchestration_is_told_with_its_text) {
  Chip chip(limits());
  set_kernels(chip);
  const RunReport report = chip.run(seeded(1), [](const OrchestrationArgs&) {
    TASKMILL_SCOPE() {
      submit_aic_task(kTouch, TaskArgs());
      throw std::runtime_error("no such layer");
    }
  });
  EXPECT_EQ(report.code(), ErrorCode::kOrchestrationThrew);
  EXPECT_EQ(report.result.error.reason, Reason::kThrew);
  EXPECT_EQ(report.message(), "no such layer");
  EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  const RunReport unknown = chip.run(seeded(1), [](const OrchestrationArgs&) { throw 7; });
  EXPECT_EQ(unknown.message(), "unknown");
}

TEST_F(Failure, a_long_message_is_cut_and_ended) {
  Chip chip(limits());
  const std::string text(500, 'x');
  const RunReport report = chip.run(seeded(1), [&](const OrchestrationArgs&) { report_fatal(text.c_str()); });
  EXPECT_EQ(report.message(), text.substr(0, 127));
}

TEST_F(Failure, a_scope_that_keeps_more_buffers_alive_than_there_are_slots_is_told_with_numbers_and_place) {
  Chip chip({.sizes = equal_rings({.task_window = 4, .argument_lines = 64, .edge_nodes = 4, .reserved = 0, .heap_bytes = 1 << 20})});
  chip.set_kernel(kTouch, touch_kernel);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const RunReport report = chip.run(seeded(seed), [](const OrchestrationArgs&) {
      const uint32_t shape[] = {4};
      TASKMILL_SCOPE() {
        for (int i = 0; i < 5; ++i) submit_aic_task(kTouch, TaskArgs().add_output(TensorSpec(shape, 1)));
      }
    });
    EXPECT_EQ(report.code(), ErrorCode::kScopeDeadlock);
    EXPECT_EQ(report.result.error.reason, Reason::kRingSlots);
    EXPECT_EQ(report.result.error.available, 3u);
    EXPECT_EQ(report.result.error.needed, 5u) << "counted on to the scope's end";
    EXPECT_NE(std::string(report.result.error.file).find("failure_test.cpp"), std::string::npos);
    EXPECT_EQ(report.result.submitted, 3u);
    EXPECT_EQ(report.result.completed, 3u);
    EXPECT_TRUE(report.outcome.finished()) << report.outcome.waiting;
  }
}

TEST_F(Failure, a_failed_run_leaves_the_next_one_whole) {
  Chip chip(limits());
  set_kernels(chip);
  sim::SeededExecutor executor(seeded(9));
  reported_code = 103;
  EXPECT_EQ(chip.run(executor, [](const OrchestrationArgs&) { submit_aic_task(kReports, TaskArgs()); }).result.error.code, 103);
  const RunReport report = chip.run(executor, [](const OrchestrationArgs&) { submit_aic_task(kTouch, TaskArgs()); });
  EXPECT_EQ(report.code(), ErrorCode::kOk);
  EXPECT_EQ(touched(), 1u);
}

// ---- bad launches

struct BadLaunch {
  const char* name;
  void (*spoil)(wire::LaunchBlock&);
  Reason reason;
};

class Refused : public testing::TestWithParam<BadLaunch> {};

TEST_P(Refused, launch_block_is_told_with_its_reason_and_its_cores_are_sent_home) {
  Chip chip({.trace = true});
  const Body body = [](const OrchestrationArgs&) {};
  sim::SeededExecutor executor({});
  ASSERT_EQ(chip.run(executor, body).code(), ErrorCode::kOk);
  GetParam().spoil(chip.launch());
  const uint64_t serial = chip.launch().run_serial;
  const RunReport report = chip.run(executor, body);
  EXPECT_EQ(report.outcome.end, sim::RunEnd::kRefused);
  EXPECT_EQ(report.outcome.refusal, static_cast<int32_t>(ErrorCode::kBadLaunchBlock));
  EXPECT_EQ(report.code(), ErrorCode::kBadLaunchBlock);
  EXPECT_EQ(report.result.error.reason, GetParam().reason);
  EXPECT_NE(report.result.error.needed, report.result.error.available);
  if (GetParam().reason == Reason::kLaunchVersion) return;
  const uint32_t exit = wire::make_token(wire::run_generation(serial), wire::kExitSequence);
  for (uint32_t core = 0; core < chip.cores(); ++core) EXPECT_EQ(chip.registers(core).received(), exit);
}

INSTANTIATE_TEST_SUITE_P(
    Launch, Refused,
    testing::Values(BadLaunch{"version", [](wire::LaunchBlock& l) { l.version += 1; }, Reason::kLaunchVersion},
                    BadLaunch{"arch", [](wire::LaunchBlock& l) { l.arch = static_cast<uint32_t>(arch::ArchId::kA5); }, Reason::kLaunchArch},
                    BadLaunch{"scheduler_threads", [](wire::LaunchBlock& l) { l.scheduler_threads = 2; }, Reason::kLaunchShape},
                    BadLaunch{"region_bytes", [](wire::LaunchBlock& l) { l.region_bytes -= 1; }, Reason::kLaunchRegion},
                    BadLaunch{"ring_sizes", [](wire::LaunchBlock& l) { l.sizes.rings[2].task_window = 5; }, Reason::kLaunchRegion},
                    BadLaunch{"dependency_rules",
                              [](wire::LaunchBlock& l) { l.rules = static_cast<DependencyRules>(kDependencyRules + 5); },
                              Reason::kLaunchRules},
                    BadLaunch{"trace_bytes", [](wire::LaunchBlock& l) { l.trace_bytes = 64; }, Reason::kLaunchRegion}),
    [](const auto& info) { return info.param.name; });

TEST(RunLayout, sizes_that_overflow_are_not_legal) {
  wire::GraphSizes sizes = equal_rings({64, 1024, 64, 0, 1 << 20});
  EXPECT_GT(aicpu::region_bytes(72, 3, sizes), 72 * sizeof(wire::CoreMailbox));
  EXPECT_EQ(aicpu::region_bytes(72, kMaxEntryTensors + 1, sizes), 0u);
  sizes.rings[3].argument_lines = std::numeric_limits<uint32_t>::max();
  EXPECT_EQ(aicpu::region_bytes(72, 3, sizes), 0u);
}

}  // namespace
}  // namespace taskmill::test
