// What drivers must do: images, launches and faults.
#include "driver/conformance.h"
#include "driver/device_toy.h"

namespace taskmill::conformance {
namespace {

using toy::kPatience;
using toy::Toy;

std::string a_run_executes_its_kernels_and_tells_its_result(Device& device) {
  Toy toy(device);
  for (const uint32_t jobs : {1u, 37u, 2u, 500u}) {
    toy.prepare(jobs, "count");
    SUCCEEDS(toy.run());
    const wire::ResultBlock result = toy.result();
    HOLDS(result.run_serial == toy.block().run_serial);
    HOLDS(result.completed == jobs && result.error.code == 0 && result.stuck_cores.empty());
    HOLDS(toy.read_shared().counter == jobs);
  }
  return "";
}

std::string the_halves_of_a_run_may_be_queued_in_either_order(Device& device) {
  Toy toy(device, 1);
  toy.prepare(10, "count");
  SUCCEEDS(toy.launch());
  SUCCEEDS(toy.synchronize());
  toy.prepare(10, "count");
  SUCCEEDS(toy.launch_aicpu());
  SUCCEEDS(toy.launch_aicore());
  SUCCEEDS(toy.synchronize());
  return "";
}

std::string arguments_are_copied_when_a_launch_is_queued(Device& device) {
  Toy toy(device, 1);
  toy.prepare(10, "count");
  SUCCEEDS(toy.launch());
  const uint64_t serial = toy.block().run_serial;
  toy.block() = {};
  SUCCEEDS(device.synchronize(toy.aicpu_stream(), kPatience));
  SUCCEEDS(device.synchronize(toy.aicore_stream(), kPatience));
  HOLDS(toy.read_shared().counter == 10);
  HOLDS(serial == 1);
  return "";
}

std::string runs_may_be_queued_one_behind_the_other(Device& device) {
  Toy toy(device, 2);
  GIVES(event, device.create_event());
  toy.prepare(30, "count");
  SUCCEEDS(toy.launch());
  for (int run = 0; run < 5; ++run) {
    SUCCEEDS(device.record(event, toy.aicore_stream()));
    SUCCEEDS(device.wait(toy.aicpu_stream(), event));
    ++toy.block().run_serial;
    SUCCEEDS(toy.launch_aicore());
    SUCCEEDS(toy.launch_aicpu());
  }
  SUCCEEDS(toy.synchronize());
  HOLDS(toy.read_shared().counter == 6 * 30);
  HOLDS(toy.result().run_serial == 6);
  return "";
}

std::string a_refused_run_ends_both_its_halves(Device& device) {
  Toy toy(device, 1);
  toy.prepare(10, "count");
  toy.plan().refuse = 113;
  SUCCEEDS(toy.run());
  HOLDS(toy.result().error.code == 113);
  HOLDS(toy.read_shared().started == 0);
  SUCCEEDS(device.health());
  return "";
}

std::string cores_of_a_half_launched_run_leave_when_their_registers_say_so(Device& device) {
  Toy toy(device, 1);
  toy.prepare(1, "count");
  SUCCEEDS(toy.launch_aicore());
  GIVES(done, device.query(toy.aicore_stream()));
  HOLDS(!done);
  std::vector<wire::CoreRegisters> registers(3);
  for (wire::CoreRegisters& own : registers) own = {.dispatch_ = 0x00ff'ffff, .gate_ = 0, .cond_ = 0};  // EXIT of run 1
  const uint64_t bytes = registers.size() * sizeof registers[0];
  // The launch may not have been reached yet: then nobody is there to be told.
  while (!*device.query(toy.aicore_stream())) {
    SUCCEEDS(device.copy({toy.registers_address(), reinterpret_cast<uint64_t>(registers.data()), bytes, CopyKind::kHostToDevice}, {}));
  }
  SUCCEEDS(device.synchronize(toy.aicore_stream(), kPatience));
  return "";
}

std::string cores_of_a_half_launched_run_may_be_told_to_leave_one_by_one(Device& device) {
  Toy toy(device, 1);
  toy.prepare(1, "count");
  SUCCEEDS(toy.launch_aicore());
  const uint32_t exit_word = 0x00ff'ffff;  // of run 1
  const auto tell = [&](uint64_t core) {
    const uint64_t at = toy.registers_address() + core * sizeof(wire::CoreRegisters);
    return device.copy({at, reinterpret_cast<uint64_t>(&exit_word), sizeof exit_word, CopyKind::kHostToDevice}, {});
  };
  // The others have said hello, so that they found nothing, or are about to.
  std::vector<wire::CoreRegisters> seen(3);
  while (seen[1].cond_ == 0 || seen[2].cond_ == 0) {
    SUCCEEDS(tell(0));
    SUCCEEDS(device.copy(
        {reinterpret_cast<uint64_t>(seen.data()), toy.registers_address(), seen.size() * sizeof seen[0], CopyKind::kDeviceToHost}, {}));
  }
  SUCCEEDS(tell(1));
  SUCCEEDS(tell(2));
  SUCCEEDS(device.synchronize(toy.aicore_stream(), kPatience));
  return "";
}

std::string a_launch_returns_before_the_work_runs(Device& device) {
  Toy toy(device, 1);
  toy.prepare(1, "wait_at_gate");
  SUCCEEDS(toy.launch());
  GIVES(aicpu_done, device.query(toy.aicpu_stream()));
  GIVES(aicore_done, device.query(toy.aicore_stream()));
  HOLDS(!aicpu_done && !aicore_done);
  FAILS_WITH(TimedOut, "is not done after 1 ms", device.synchronize(toy.aicpu_stream(), std::chrono::milliseconds(1)));
  GIVES(other, device.create_stream());
  GIVES(memory, device.allocate(64));
  SUCCEEDS(device.fill(memory, 1, 64, other));
  SUCCEEDS(device.synchronize(other, kPatience));
  toy.write_gate(1);
  SUCCEEDS(toy.synchronize());
  HOLDS(toy.read_shared().counter == 1);
  return "";
}

std::string an_event_waits_for_the_launch_in_front_of_it(Device& device) {
  Toy toy(device, 1);
  GIVES(event, device.create_event());
  toy.prepare(1, "wait_at_gate");
  SUCCEEDS(toy.launch());
  SUCCEEDS(device.record(event, toy.aicore_stream()));
  GIVES(done, device.query(event));
  HOLDS(!done);
  FAILS_WITH(TimedOut, "event", device.synchronize(event, std::chrono::milliseconds(1)));
  toy.write_gate(1);
  SUCCEEDS(device.synchronize(event, kPatience));
  SUCCEEDS(toy.synchronize());
  return "";
}

std::string a_wait_is_for_its_own_record_whatever_newer_ones_do(Device& device) {
  Toy toy(device, 1);
  GIVES(event, device.create_event());
  GIVES(fast, device.create_stream());
  GIVES(waiting, device.create_stream());
  toy.prepare(1, "wait_at_gate");
  SUCCEEDS(toy.launch());
  SUCCEEDS(device.record(event, toy.aicore_stream()));
  SUCCEEDS(device.wait(waiting, event));
  SUCCEEDS(device.record(event, fast));
  SUCCEEDS(device.synchronize(event, kPatience));
  FAILS_WITH(TimedOut, "is not done after 1 ms", device.synchronize(waiting, std::chrono::milliseconds(1)));
  toy.write_gate(1);
  SUCCEEDS(device.synchronize(waiting, kPatience));
  SUCCEEDS(toy.synchronize());
  return "";
}

std::string a_fault_is_told_once_by_the_streams_synchronise(Device& device) {
  Toy toy(device, 1);
  GIVES(event, device.create_event());
  toy.prepare(2, "raise_segv");
  SUCCEEDS(toy.launch());
  SUCCEEDS(device.record(event, toy.aicore_stream()));
  SUCCEEDS(device.synchronize(event, kPatience));  // a completed event does not prove success
  while (!*device.query(toy.aicore_stream())) {
  }
  SUCCEEDS(device.health());  // queries surface nothing
  SUCCEEDS(device.synchronize(toy.aicpu_stream(), kPatience));
  HOLDS(toy.result().error.code == static_cast<int32_t>(ErrorCode::kKernelCrashed));
  FAILS_WITH(DeviceFault, "AICore launch failed", device.synchronize(toy.aicore_stream(), kPatience));
  FAILS_WITH(DeviceLost, "AICore launch failed", device.synchronize(toy.aicore_stream(), kPatience));
  return "";
}

std::string the_error_of_a_lost_device_is_sticky(Device& device) {
  Toy toy(device, 1);
  GIVES(event, device.create_event());
  GIVES(memory, device.allocate(64));
  SUCCEEDS(device.abandon("a reason to remember"));
  FAILS_WITH(DeviceLost, "a reason to remember", device.health());
  FAILS_WITH(DeviceLost, "", device.allocate(64));
  FAILS_WITH(DeviceLost, "", device.create_stream());
  FAILS_WITH(DeviceLost, "", device.create_event());
  FAILS_WITH(DeviceLost, "", device.record(event, toy.aicpu_stream()));
  FAILS_WITH(DeviceLost, "", device.wait(toy.aicpu_stream(), event));
  FAILS_WITH(DeviceLost, "", device.synchronize(toy.aicpu_stream(), kPatience));
  FAILS_WITH(DeviceLost, "", device.fill(memory, 0, 64, {}));
  FAILS_WITH(DeviceLost, "", toy.launch_aicpu());
  FAILS_WITH(DeviceLost, "", toy::load(device, ImageKind::kKernel, "toy_kernels"));
  GIVES(idle, device.query(toy.aicpu_stream()));
  HOLDS(idle);
  toy.result();  // synchronous copies to the host still work
  SUCCEEDS(device.release(memory));
  SUCCEEDS(device.destroy(toy.aicpu_stream()));
  SUCCEEDS(device.destroy(event));
  return "";
}

std::string abandon_ends_a_run_that_waits_for_ever(Device& device) {
  Toy toy(device, 1);
  GIVES(event, device.create_event());
  toy.prepare(1, "wait_at_gate");
  toy.block().kernel_limit_ns = 0;
  SUCCEEDS(toy.launch());
  SUCCEEDS(device.record(event, toy.aicpu_stream()));
  SUCCEEDS(device.abandon("enough"));
  GIVES(aicpu_idle, device.query(toy.aicpu_stream()));
  GIVES(aicore_idle, device.query(toy.aicore_stream()));
  GIVES(event_done, device.query(event));
  HOLDS(aicpu_idle && aicore_idle && event_done);
  FAILS_WITH(DeviceLost, "enough", device.synchronize(toy.aicore_stream(), kPatience));
  SUCCEEDS(device.abandon("again"));
  FAILS_WITH(DeviceLost, "enough", device.health());
  return "";
}

std::string abandon_ends_waits_for_an_event_that_was_destroyed(Device& device) {
  Toy toy(device, 1);
  GIVES(event, device.create_event());
  GIVES(other, device.create_stream());
  toy.prepare(1, "wait_at_gate");
  SUCCEEDS(toy.launch());
  SUCCEEDS(device.record(event, toy.aicore_stream()));
  SUCCEEDS(device.wait(other, event));
  FAILS_WITH(TimedOut, "stream", device.synchronize(other, std::chrono::milliseconds(20)));  // by now its thread waits
  SUCCEEDS(device.destroy(event));
  SUCCEEDS(device.abandon("enough"));
  GIVES(idle, device.query(other));
  HOLDS(idle);
  return "";
}

std::string images_that_cannot_be_loaded_are_told_apart(Device& device) {
  const std::vector<std::byte> garbage(100, std::byte{7});
  FAILS_WITH(LoadFailed, "image \"junk\"", device.load({ImageKind::kKernel, garbage, "junk", {}}));
  FAILS_WITH(MissingSymbol, "image \"toy_kernels\" does not export \"no_such_kernel\"",
             toy::load(device, ImageKind::kKernel, "toy_kernels", {"count", "no_such_kernel"}));
  FAILS_WITH(MissingSymbol, "taskmill_aicpu_program", toy::load(device, ImageKind::kAicpuProgram, "toy_kernels"));
  FAILS_WITH(LoadFailed, "for arch 2, this device is arch 1", toy::load(device, ImageKind::kAicoreProgram, "toy_aicore_a5"));
  FAILS_WITH(LoadFailed, "nobody_has_this", toy::load(device, ImageKind::kKernel, "toy_unresolved"));
  SUCCEEDS(toy::load(device, ImageKind::kOrchestration, "toy_unresolved"));
  HOLDS(device.statistics().live_images == 1);
  return "";
}

std::string each_load_of_an_image_has_statics_of_its_own(Device& device) {
  for (int load = 0; load < 2; ++load) {
    Toy toy(device, 1);
    for (uint32_t run = 1; run <= 2; ++run) {
      toy.prepare(1, "count_loads");
      SUCCEEDS(toy.run());
      HOLDS(toy.read_shared().amount == run);
    }
    // The next Toy counts its runs from 1 again, on registers of its own.
  }
  return "";
}

std::string launches_are_checked_when_they_are_queued(Device& device) {
  Toy toy(device, 1);
  toy.prepare(1, "count");
  const auto launch = [&](Processor processor, Handle image, uint32_t blocks, size_t bytes) {
    return device.launch({processor, image, blocks, std::as_bytes(std::span(&toy.block(), 1)).first(bytes)}, toy.aicpu_stream());
  };
  constexpr size_t kAll = sizeof(wire::LaunchBlock);
  FAILS_WITH(InvalidArgument, "launch arguments have 8 bytes", launch(Processor::kAicpu, toy.aicpu_image(), 2, 8));
  FAILS_WITH(InvalidArgument, "launch of 0 AICPU threads", launch(Processor::kAicpu, toy.aicpu_image(), 0, kAll));
  FAILS_WITH(InvalidArgument, "launch of 1000 clusters", launch(Processor::kAicore, toy.aicore_image(), 1000, kAll));
  FAILS_WITH(InvalidArgument, "is no AICPU program", launch(Processor::kAicpu, toy.aicore_image(), 2, kAll));
  FAILS_WITH(InvalidArgument, "is no AICore program", launch(Processor::kAicore, toy.aicpu_image(), 1, kAll));
  FAILS_WITH(StaleHandle, "empty handle", launch(Processor::kAicore, Handle{}, 1, kAll));
  const wire::LaunchBlock good = toy.block();
  toy.block().registers = reinterpret_cast<uint64_t>(&toy);
  FAILS_WITH(NotADeviceAddress, "launch block: registers", toy.launch_aicore());
  toy.block() = good;
  toy.block().region_bytes = uint64_t{1} << 40;
  FAILS_WITH(NotADeviceAddress, "launch block: region", toy.launch_aicpu());
  toy.block() = good;
  toy.block().clusters = 99;
  FAILS_WITH(InvalidArgument, "99 clusters", launch(Processor::kAicpu, toy.aicpu_image(), 2, kAll));
  toy.block() = good;
  toy.block().scheduler_threads = 0;
  FAILS_WITH(InvalidArgument, "0 scheduler threads", launch(Processor::kAicpu, toy.aicpu_image(), 2, kAll));
  toy.block() = good;
  SUCCEEDS(toy.run());
  return "";
}

std::string an_image_may_be_unloaded_while_its_run_goes_on(Device& device) {
  Toy toy(device, 2);
  toy.prepare(300, "work");
  toy.shared().amount = 1000;
  SUCCEEDS(toy.launch());
  SUCCEEDS(device.destroy(toy.aicpu_image()));
  SUCCEEDS(device.destroy(toy.aicore_image()));
  SUCCEEDS(toy.synchronize());
  HOLDS(toy.read_shared().counter == 300);
  return "";
}

std::string a_queued_copy_whose_memory_was_released_is_a_fault(Device& device) {
  Toy toy(device, 1);
  GIVES(memory, device.allocate(4096));
  toy.prepare(1, "wait_at_gate");
  SUCCEEDS(toy.launch());
  uint64_t value = 1;
  SUCCEEDS(device.copy({memory, reinterpret_cast<uint64_t>(&value), 8, CopyKind::kHostToDevice}, toy.aicore_stream()));
  SUCCEEDS(device.release(memory));
  toy.write_gate(1);
  SUCCEEDS(device.synchronize(toy.aicpu_stream(), kPatience));
  FAILS_WITH(DeviceFault, "queued copy: copy destination", device.synchronize(toy.aicore_stream(), kPatience));
  return "";
}

}  // namespace

#define CHECK_OF(name, needs) \
  { #name, needs, &name }

const std::vector<Check>& program_checks() {
  static const std::vector<Check> checks = {
      CHECK_OF(a_run_executes_its_kernels_and_tells_its_result, Needs::kPrograms),
      CHECK_OF(the_halves_of_a_run_may_be_queued_in_either_order, Needs::kPrograms),
      CHECK_OF(arguments_are_copied_when_a_launch_is_queued, Needs::kPrograms),
      CHECK_OF(runs_may_be_queued_one_behind_the_other, Needs::kPrograms),
      CHECK_OF(a_refused_run_ends_both_its_halves, Needs::kPrograms),
      CHECK_OF(cores_of_a_half_launched_run_leave_when_their_registers_say_so, Needs::kPrograms),
      CHECK_OF(cores_of_a_half_launched_run_may_be_told_to_leave_one_by_one, Needs::kPrograms),
      CHECK_OF(a_launch_returns_before_the_work_runs, Needs::kOutsideWaits),
      CHECK_OF(an_event_waits_for_the_launch_in_front_of_it, Needs::kOutsideWaits),
      CHECK_OF(a_wait_is_for_its_own_record_whatever_newer_ones_do, Needs::kOutsideWaits),
      CHECK_OF(a_fault_is_told_once_by_the_streams_synchronise, Needs::kPrograms),
      CHECK_OF(the_error_of_a_lost_device_is_sticky, Needs::kPrograms),
      CHECK_OF(abandon_ends_a_run_that_waits_for_ever, Needs::kPrograms),
      CHECK_OF(abandon_ends_waits_for_an_event_that_was_destroyed, Needs::kOutsideWaits),
      CHECK_OF(images_that_cannot_be_loaded_are_told_apart, Needs::kPrograms),
      CHECK_OF(each_load_of_an_image_has_statics_of_its_own, Needs::kPrograms),
      CHECK_OF(launches_are_checked_when_they_are_queued, Needs::kPrograms),
      CHECK_OF(an_image_may_be_unloaded_while_its_run_goes_on, Needs::kPrograms),
      CHECK_OF(a_queued_copy_whose_memory_was_released_is_a_fault, Needs::kOutsideWaits),
  };
  return checks;
}

}  // namespace taskmill::conformance
