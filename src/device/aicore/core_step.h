// One compute core during one run, in steps: it says HELLO, takes a dispatch, acknowledges it, runs the kernel, reports FIN,
// and leaves when told to. The core's half of contract 4 is here and nowhere else.
#pragma once

#include <cstdint>

#include "wire/program.h"

namespace taskmill::aicore {

// CoreContext::phase. An executor hands a context over with phase 0.
enum class Phase : uint32_t {
  kStart,         // HELLO not said yet
  kListening,     // waits for a new dispatch word of this run's generation
  kAcknowledged,  // the next step runs the kernel
  kLeft,
};

// AicoreProgram::core_step.
wire::Step core_step(wire::CoreContext* context);

// AicoreProgram::core_trap: the kernel of `context` died inside core_step and the core will not be stepped again.
void core_trap(wire::CoreContext* context, uint32_t signal, uint64_t fault_address);

}  // namespace taskmill::aicore
