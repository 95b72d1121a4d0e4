// What the builder needs from the device layer around it.
#pragma once

#include <concepts>
#include <cstdint>

#include "wire/run_error.h"

namespace taskmill::graph {

template <class T>
concept BuilderEnvironment = requires(T environment, const wire::RunError& error, uint32_t slot, const void* address, uint64_t bytes) {
  // Has the run failed, whoever said so?
  { environment.fatal() } -> std::convertible_to<bool>;
  // Ends the run with this error; the first of a run wins.
  {environment.fail(error)};
  // The task in `slot` is ready and its lines are written. It may be kept back for a batch, but not beyond wait_completed.
  {environment.ready(slot)};
  // Tasks completed so far over all schedulers, modulo 2³² or 2⁶⁴; acquire.
  { environment.completed() } -> std::convertible_to<uint64_t>;
  // Sleeps until completed() may differ from `completed`, a value that it gave. False: the run was abandoned.
  { environment.wait_completed(environment.completed()) } -> std::convertible_to<bool>;
  // Makes what the orchestrator wrote readable by the cores: lines that tasks other than their writer's will name, elements
  // of buffers.
  {environment.publish(address, bytes)};
  // Forgets what the orchestrator has cached: the next read sees what the cores wrote.
  {environment.invalidate(address, bytes)};
};

}  // namespace taskmill::graph
