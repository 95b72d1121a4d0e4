#include "variant/fixture.h"

namespace taskmill::tmr {
namespace {

struct Everything {
  std::vector<float> in = std::vector<float>(10), out = std::vector<float>(20);
};

// A slot's whole life with two runs, the second larger. Returns the first failure.
Result<void> live(FakeDevice& device, Everything& memory) {
  TASKMILL_ASSIGN(const std::unique_ptr<RunSlot> slot, RunSlot::open(device, {{HandleKind::kImage, 1001}, {HandleKind::kImage, 1002}, 1}));
  for (const uint32_t window : {16u, 64u}) {
    RunInputs inputs;
    inputs.sizes =
        test::equal_rings({.task_window = window, .argument_lines = 256, .edge_nodes = 16, .reserved = 0, .heap_bytes = 1024u * window});
    inputs.tensors = {host_argument(memory.in, true, false), host_argument(memory.out, false, true)};
    TASKMILL_ASSIGN(RunBindings run, bind_run(*slot, inputs));
    bool launched = false;
    const Result<void> executed = [&]() -> Result<void> {
      TASKMILL_TRY(copy_in_run_inputs(*slot, run));
      TASKMILL_TRY(launch_run(*slot, run));
      launched = true;
      TASKMILL_TRY(wait_run(*slot, run));
      return {};
    }();
    const Result<uint64_t> copied = copy_back_run_outputs(*slot, run, executed.has_value(), launched);
    Result<void> released = release_run_bindings(*slot, run);
    TASKMILL_TRY(executed);
    TASKMILL_TRY(copied);
    TASKMILL_TRY(std::move(released));
  }
  return {};
}

TEST(Leak, a_failure_at_any_driver_call_is_told_and_leaves_nothing_behind_on_the_device) {
  Everything memory;
  uint64_t calls = 0;
  {
    FakeDevice device;
    ASSERT_TRUE(live(device, memory));
    calls = device.calls;
    EXPECT_TRUE(device.memory.empty());
    EXPECT_TRUE(device.live_handles.empty());
  }
  ASSERT_GT(calls, 40u);
  uint64_t untold = 0;
  for (uint64_t call = 1; call <= calls; ++call) {
    FakeDevice device;
    device.fail_call = call;
    const Result<void> lived = live(device, memory);
    untold += lived.has_value() ? 1 : 0;
    // The failing call may itself be a release or a destroy of one object.
    EXPECT_LE(device.memory.size() + device.live_handles.size(), 1u) << "call " << call;
  }
  // Only what ends with an owner (5 handles, 6 buffers, 3 of them replaced by larger ones) cannot tell anybody.
  EXPECT_LE(untold, 14u);
}

}  // namespace
}  // namespace taskmill::tmr
