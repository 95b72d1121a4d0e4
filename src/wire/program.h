// What the two device programs export: one table each, found by name.
#pragma once

#include <cstdint>

#include "taskmill/kernel.h"
#include "wire/launch_block.h"

namespace taskmill::wire {

enum class Step : uint32_t {
  kIdle,      // nothing to do until somebody notifies this unit
  kProgress,  // did something; step again
  kDone,      // finished for this run; step no more
};

constexpr uint32_t kProgramVersion = 1;

// An entry of the AICPU program: one runtime variant.
struct AicpuEntry {
  const char* name;  // "tmr"
  // Lays out the run region. Called once per run, before anything else, on any thread. Returns an ErrorCode; then the
  // result block is written and nothing else may be called.
  int32_t (*init)(const LaunchBlock* launch);
  // One pass of scheduler `thread`. Never called concurrently for one thread; never blocks.
  Step (*scheduler_step)(const LaunchBlock* launch, uint32_t thread);
  // Runs the user's orchestration; may block in AicpuPort::block. Called once per run, after init.
  void (*orchestrate)(const LaunchBlock* launch);
};

struct AicpuProgram {
  uint32_t version;
  uint32_t arch;
  uint32_t entry_count;
  const AicpuEntry* entries;
};
constexpr const char* kAicpuProgramSymbol = "taskmill_aicpu_program";  // const AicpuProgram

// One core during one run, in memory of its own. The executor fills the first part; `core_step` owns the rest.
struct CoreContext {
  const LaunchBlock* launch;
  const CorePort* port;      // this core's view
  uint64_t region;           // run region, as this core sees it
  CoreRegisters* registers;  // this core's
  uint32_t core;
  uint32_t lane;
  KernelServices services;

  uint32_t last_token;  // the newest token that was acknowledged
  uint32_t phase;       // aicore::Phase
  LocalContext local;
  GlobalContext global;
  alignas(64) DispatchPayload payload;  // copy of the dispatch being run
  int64_t args[kArgumentSlots];
};

struct AicoreProgram {
  uint32_t version;
  uint32_t arch;
  // One step: says HELLO, or acknowledges a dispatch, or runs the acknowledged kernel and reports FIN, or leaves (kDone).
  // kIdle: no new dispatch word. The kernel runs inside the step that follows the acknowledging one.
  Step (*core_step)(CoreContext* context);
  // What the executor calls on the core's behalf when its kernel died inside core_step: fills the slab, reports TRAP.
  void (*core_trap)(CoreContext* context, uint32_t signal, uint64_t fault_address);
};
constexpr const char* kAicoreProgramSymbol = "taskmill_aicore_program";  // const AicoreProgram

// The support source's runner, linked into every orchestration object.
constexpr const char* kOrchestrationRunSymbol = "taskmill_orchestration_run";

}  // namespace taskmill::wire
