/// @file
/// The one table of error codes, shared by host code, device programs, the C ABI and Python.
///
/// A number is `active` when some code returns it; then `docs/errors.md` explains it and a test provokes it. Every other
/// number is `reserved`: it keeps its meaning for a later use and is never returned. 1 to 11 and 100 to 104 are the
/// ecosystem's numbers (API specification, section 1.16); 110 to 199 are device faults of our own; 200 and up are the host's.
#pragma once

#include <cstdint>

/// Calls X(number, name, state, "meaning") for each code, in the order of the numbers.
#define TASKMILL_ERROR_CODES(X)                                                                       \
  X(0, Ok, active, "success")                                                                         \
  X(1, ScopeDeadlock, active, "a scope must keep more task slots alive than the task ring has")       \
  X(2, HeapRingDeadlock, active, "an output buffer can never be placed in the heap ring")             \
  X(3, FlowControlDeadlock, active, "a task slot or its arguments can never be placed in their ring") \
  X(4, DepPoolOverflow, reserved, "edge pool exhausted")                                              \
  X(5, InvalidArgs, active, "a submit names an argument that cannot be used")                         \
  X(6, DependencyOverflow, reserved, "retired by the ecosystem")                                      \
  X(7, RequireSyncStartInvalid, reserved, "a cohort is larger than the cores of the run")             \
  X(8, TensorWaitTimeout, reserved, "an element access waited for a producer that never completed")   \
  X(9, ExplicitOrchFatal, active, "the orchestration reported a fatal error of its own")              \
  X(10, ScopeTasksOverflow, reserved, "every ring is full inside one chain of open scopes")           \
  X(11, TensorMapOverflow, reserved, "the access index is full")                                      \
  X(100, SchedulerTimeout, active, "no task completed, or a kernel ran, for longer than its limit")   \
  X(101, AsyncCompletionInvalid, reserved, "a deferred completion is malformed")                      \
  X(102, AsyncWaitOverflow, reserved, "too many deferred conditions")                                 \
  X(103, AsyncRegistrationFailed, reserved, "a deferred registration failed")                         \
  X(104, ReadyQueueOverflow, reserved, "a ready queue is full")                                       \
  X(110, KernelCrashed, active, "a kernel raised a hardware fault")                                   \
  X(111, OrchestrationThrew, active, "an exception left the orchestration")                           \
  X(112, UnknownKernel, active, "a submit names a kernel id that the callable does not have")         \
  X(113, BadLaunchBlock, active, "the launch block does not fit the device program")                  \
  X(200, ArgumentCount, active, "a run was given the wrong number of arguments")                      \
  X(201, ArgumentType, active, "an argument has a type or dtype that cannot be used here")            \
  X(202, BufferTooShort, active, "a buffer is smaller than the tensor laid over it")                  \
  X(203, InvalidArgument, active, "a value is outside what the call accepts")                         \
  X(204, MissingSymbol, active, "a compiled object does not export the symbol that was asked for")    \
  X(205, CompileFailed, active, "the system compiler refused a source")                               \
  X(206, OutOfDeviceMemory, active, "the device has no room for an allocation")                       \
  X(207, NotADeviceAddress, active, "an address does not lie in a live device allocation")            \
  X(208, Closed, active, "the object was closed")                                                     \
  X(209, DeviceLost, active, "the device failed for good and must be reopened")                       \
  X(210, TimedOut, active, "a bounded wait ran out")                                                  \
  X(211, Unsupported, active, "this driver does not support the call")                                \
  X(212, StaleHandle, active, "a stream, event or image is not alive on this device")                 \
  X(213, LoadFailed, active, "an image could not be loaded")                                          \
  X(214, IoFailed, active, "a file could not be read or written")                                     \
  X(215, DeviceFault, active, "work on a stream failed on the device")                                \
  X(216, UnknownCallable, active, "a callable id is not registered with this worker")                 \
  X(217, OverlappingArguments, active, "two arguments overlap in part")

namespace taskmill {

/// A code of the table, with k before its name. docs/errors.md has a section for each that is active.
enum class ErrorCode : int32_t {
#define TASKMILL_X(number, name, state, meaning) k##name = number,
  TASKMILL_ERROR_CODES(TASKMILL_X)
#undef TASKMILL_X
};

/// Name without the leading k ("HeapRingDeadlock"); "Unknown" for a number that the table does not have.
constexpr const char* error_name(ErrorCode code) {
  switch (code) {
#define TASKMILL_X(number, name, state, meaning) \
  case ErrorCode::k##name:                       \
    return #name;
    TASKMILL_ERROR_CODES(TASKMILL_X)
#undef TASKMILL_X
  }
  return "Unknown";
}

/// One sentence fragment; "" for a number that the table does not have.
constexpr const char* error_meaning(ErrorCode code) {
  switch (code) {
#define TASKMILL_X(number, name, state, meaning) \
  case ErrorCode::k##name:                       \
    return meaning;
    TASKMILL_ERROR_CODES(TASKMILL_X)
#undef TASKMILL_X
  }
  return "";
}

}  // namespace taskmill
