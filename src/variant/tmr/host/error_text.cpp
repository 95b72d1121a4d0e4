#include "variant/tmr/host/error_text.h"

#include <fmt/format.h>

#include <cstring>

#include "device/aicpu/error_report.h"
#include "support/text.h"
#include "taskmill/error.h"
#include "taskmill/tensor.h"
#include "wire/launch_block.h"

namespace taskmill::tmr {
namespace {

using text::grouped;
using wire::Reason;
using wire::RunError;

// A field that may fill its array to the last byte.
template <size_t kSize>
std::string bounded(const char (&field)[kSize]) {
  return std::string(field, ::strnlen(field, kSize));
}

std::string kernel_name(const RunError& error, const RunNames& names) {
  const auto known = names.kernels.find(error.kernel_id);
  if (known == names.kernels.end()) return fmt::format("kernel id {}", error.kernel_id);
  return fmt::format("kernel \"{}\", id {}", known->second, error.kernel_id);
}

// task 17 (kernel "swiglu", id 2)
std::string task_name(const RunError& error, const RunNames& names) {
  const bool has_task = error.task != aicpu::kNoTaskId;
  if (error.kernel_id < 0) return has_task ? fmt::format("task {}", error.task) : "a task";
  return has_task ? fmt::format("task {} ({})", error.task, kernel_name(error, names))
                  : fmt::format("a task of {}", kernel_name(error, names));
}

std::string core_of(const RunError& error, const RunNames& names) {
  return error.core < 0 ? std::string("a core") : core_name(static_cast<uint32_t>(error.core), names.clusters);
}

std::string scope_name(const RunError& error) {
  const std::string file = bounded(error.file);
  return file.empty() ? "the orchestration's own scope" : fmt::format("the scope at {}:{}", file, error.line);
}

// An element access has no arguments, only its tensor.
std::string argument_of(const RunError& error, const RunNames& names) {
  if (error.argument < 0) return fmt::format("the tensor of an element access in {}", scope_name(error));
  return fmt::format("argument {} of {}", error.argument, task_name(error, names));
}

// "argument ring of scope depth 1"
std::string ring_name(const char* kind, const RunError& error) { return fmt::format("{} ring of {}", kind, ring_depths(error.ring)); }

// One of the two roots of kBridgesRoots.
std::string root_name(uint64_t root) {
  constexpr uint64_t kTasks = uint64_t{1} << 32;
  return root < kTasks ? fmt::format("the run's argument {}", root) : fmt::format("a buffer that task {} made", root - kTasks);
}

std::string signal_name(uint64_t signal) {
  const char* abbreviation = ::sigabbrev_np(static_cast<int>(signal));
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", signal);
}

std::string known_ids(uint64_t count) {
  return count == 0 ? "it has no kernels" : fmt::format("ids 0 to {} are looked up", grouped(count - 1));
}

// What is wrong with one argument.
std::string argument_text(const RunError& error, const RunNames& names) {
  const std::string argument = argument_of(error, names);
  const std::string needed = grouped(error.needed), available = grouped(error.available);
  switch (error.reason) {
    case Reason::kForeignTensor:
      return fmt::format("{} is not a tensor of this run", argument);
    case Reason::kUnknownAddress:
      return fmt::format("{} is given by address {:#x}, which lies in no buffer of this run", argument, error.needed);
    case Reason::kBridgesRoots:
      return fmt::format("{} is given by address and begins in {} but ends in {}: a tensor lies in one buffer", argument,
                         root_name(error.needed), root_name(error.available));
    case Reason::kScopeEnded:
      return fmt::format("{} names a buffer whose scope has ended", argument);
    case Reason::kOutsideBuffer:
      return fmt::format("{} reaches to byte {} of a buffer of {} bytes", argument, needed, available);
    case Reason::kBadView:
      return fmt::format("{} is a view with bounds outside the tensor that it was taken from", argument);
    case Reason::kBadShape:
      return fmt::format("{} has rank {}, a tensor has rank 1 to {}", argument, needed, kMaxDims);
    case Reason::kBadDataType:
      return fmt::format("{} has dtype {}, there are {}", argument, needed, available);
    default:
      return fmt::format("{} needs {} bytes of output heap, the whole {} has {}: raise heap_bytes", argument, needed,
                         ring_name("heap", error), available);
  }
}

// dependency 2 of task 17 (kernel "swiglu", id 2) is task id 0x100000005
std::string dependency_text(const RunError& error, const RunNames& names) {
  const uint64_t ring = error.needed >> 32, task = error.needed & 0xFFFF'FFFF;
  const std::string where =
      ring < wire::kRings ? fmt::format(" (number {} of {})", grouped(task), ring_depths(static_cast<uint32_t>(ring))) : "";
  return fmt::format("dependency {} of {} is task id {:#x}{}, which no submit has given out", error.argument, task_name(error, names),
                     error.needed, where);
}

std::string submit_text(const RunError& error, const RunNames& names) {
  const std::string task = task_name(error, names);
  const std::string needed = grouped(error.needed), available = grouped(error.available);
  switch (error.reason) {
    case Reason::kTooManyTensors:
      return fmt::format("{} is given {} tensors, at most {} are possible", task, needed, available);
    case Reason::kTooManyScalars:
      return fmt::format("{} is given {} scalars, at most {} are possible", task, needed, available);
    case Reason::kTooManyDependencies:
      return fmt::format("{} is given {} dependencies, at most {} are possible", task, needed, available);
    case Reason::kTensorAfterScalar:
      return fmt::format("{} is given a tensor after a scalar: add all tensors first", task);
    case Reason::kUnknownTask:
      return dependency_text(error, names);
    case Reason::kUnknownValue:
      return error.argument < 0
                 ? fmt::format("{} has a kind or core type numbered {}, which does not exist", task, needed)
                 : fmt::format("argument {} of {} has a mode numbered {}, which does not exist", error.argument, task, needed);
    case Reason::kNothingToAllocate:
      return fmt::format("{} only makes buffers: alloc_tensors takes 1 to {} specifications and nothing else", task, kMaxTaskTensors);
    default:
      return fmt::format("{} names a kernel id that the callable does not have ({})", task, known_ids(error.available));
  }
}

std::string element_text(const RunError& error) {
  const std::string needed = grouped(error.needed), available = grouped(error.available);
  if (error.reason == Reason::kBadIndex) {
    return fmt::format("an element access in {} gives {} for a tensor of rank {}: give one for each dimension, or none", scope_name(error),
                       text::counted(error.needed, "index number"), available);
  }
  return fmt::format("an element access in {} has index {} in dimension {}, where the tensor has extent {}", scope_name(error), needed,
                     error.argument, available);
}

std::string ring_text(const RunError& error, const RunNames& names) {
  const std::string needed = grouped(error.needed), available = grouped(error.available);
  switch (error.reason) {
    case Reason::kRingSlots:
      return fmt::format("{} must keep at least {} task slots alive, the {} has {} usable ones: raise task_window or end scopes earlier",
                         scope_name(error), needed, ring_name("task", error), available);
    case Reason::kRingArguments:
      return fmt::format("{} needs {} argument lines in {}, {} of the {} can become free: raise argument_lines or end scopes earlier",
                         task_name(error, names), needed, scope_name(error), available, ring_name("argument", error));
    default:
      return fmt::format("{} needs {} bytes of output heap in {}, {} of the {} can become free: raise heap_bytes or end scopes earlier",
                         task_name(error, names), needed, scope_name(error), available, ring_name("heap", error));
  }
}

std::string scope_text(const RunError& error) {
  if (error.reason == Reason::kScopeUnderflow) return "a scope is ended that was never begun";
  if (error.reason == Reason::kAutoInManual) {
    return fmt::format("{} is AUTO and lies in a MANUAL one, which holds MANUAL scopes only", scope_name(error));
  }
  return fmt::format("{} is nested {} deep, at most {} is possible", scope_name(error), grouped(error.needed), grouped(error.available));
}

std::string kernel_text(const RunError& error, const RunNames& names) {
  const std::string where = fmt::format("{} on {}", task_name(error, names), core_of(error, names));
  switch (error.reason) {
    case Reason::kKernelOverdue:
      return fmt::format("{}: the kernel ran for {}, its limit is {}", where, text::duration(error.needed),
                         text::duration(error.available));
    case Reason::kKernelTrap:
      return fmt::format("{}: the kernel raised {} at address {:#x}", where, signal_name(error.needed), error.available);
    default:
      return fmt::format("{}: the kernel reported code {}", where, error.code);
  }
}

// ": a core does not acknowledge its dispatch: task 17 (kernel "swiglu", id 2) on AIV 3", as far as it is known.
std::string finding(const RunError& error, const RunNames& names) {
  const std::string message = bounded(error.message);
  if (message.empty()) return {};
  const std::string core = error.core < 0 ? "" : core_of(error, names);
  if (error.task != aicpu::kNoTaskId) return fmt::format(": {}: {}{}", message, task_name(error, names), core.empty() ? "" : " on " + core);
  return core.empty() ? ": " + message : fmt::format(": {}: {}", message, core);
}

std::string stall_text(const RunError& error, const wire::ResultBlock& result, const RunNames& names) {
  const std::string completed = result.submitted == wire::kSubmittedUnknown
                                    ? text::counted(result.completed, "task")
                                    : fmt::format("{} of {} submitted tasks", grouped(result.completed), grouped(result.submitted));
  return fmt::format("nothing completed and no kernel ran for {} (limit {}){}; completed: {}", text::duration(error.needed),
                     text::duration(error.available), finding(error, names), completed);
}

std::string launch_text(const RunError& error) {
  const std::string needed = grouped(error.needed), available = grouped(error.available), message = bounded(error.message);
  switch (error.reason) {
    case Reason::kLaunchVersion:
      return fmt::format("the launch block has version {}, the device program expects {}: host and device programs differ", needed,
                         available);
    case Reason::kLaunchArch:
      return fmt::format("the launch block is for arch {}, the device program for {}", needed, available);
    case Reason::kLaunchRegion:
      return fmt::format("a region of the launch needs {} bytes and has {}: {}", needed, available, message);
    case Reason::kLaunchRules:
      return fmt::format("the launch asks for dependency rules {}, the device program has 0 to {}", needed, error.available - 1);
    default:
      return fmt::format("the launch asks for {} {}, the device program drives at most {}", needed, message, available);
  }
}

std::string reason_text(const wire::ResultBlock& result, const RunNames& names) {
  const RunError& error = result.error;
  switch (error.reason) {
    case Reason::kNone:
      return error_meaning(static_cast<ErrorCode>(error.code));
    case Reason::kReported:
      return fmt::format("the orchestration reported: {}", bounded(error.message));
    case Reason::kThrew:
      return fmt::format("an exception left the orchestration: {}", bounded(error.message));
    case Reason::kForeignTensor:
    case Reason::kUnknownAddress:
    case Reason::kBridgesRoots:
    case Reason::kScopeEnded:
    case Reason::kOutsideBuffer:
    case Reason::kBadView:
    case Reason::kBadShape:
    case Reason::kBadDataType:
    case Reason::kOutputTooLarge:
      return argument_text(error, names);
    case Reason::kBadIndex:
    case Reason::kIndexOutside:
      return element_text(error);
    case Reason::kScopeDepth:
    case Reason::kScopeUnderflow:
    case Reason::kAutoInManual:
      return scope_text(error);
    case Reason::kRingSlots:
    case Reason::kRingArguments:
    case Reason::kRingHeap:
      return ring_text(error, names);
    case Reason::kNoProgress:
      return stall_text(error, result, names);
    case Reason::kKernelOverdue:
    case Reason::kKernelTrap:
    case Reason::kKernelReported:
      return kernel_text(error, names);
    case Reason::kLaunchVersion:
    case Reason::kLaunchArch:
    case Reason::kLaunchRegion:
    case Reason::kLaunchShape:
    case Reason::kLaunchRules:
      return launch_text(error);
    default:
      return submit_text(error, names);
  }
}

}  // namespace

std::string core_name(uint32_t core, uint32_t clusters) {
  return core < clusters ? fmt::format("AIC {}", core) : fmt::format("AIV {}", core - clusters);
}

std::string ring_depths(uint32_t ring) {
  return ring + 1 < wire::kRings ? fmt::format("scope depth {}", ring) : fmt::format("scope depths {} and deeper", ring);
}

std::string error_text(const wire::ResultBlock& result, const RunNames& names) {
  const std::string sentence = fmt::format("\"{}\": {}", names.callable, reason_text(result, names));
  if (result.stuck_cores.empty()) return sentence;
  std::string stuck;
  CoreMask cores = result.stuck_cores;
  while (!cores.empty()) stuck += (stuck.empty() ? "" : ", ") + core_name(cores.take_first(), names.clusters);
  return fmt::format("{} (the device is lost: {} did not leave; open a new worker)", sentence, stuck);
}

}  // namespace taskmill::tmr
