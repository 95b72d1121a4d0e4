// A small pair of device programs that need no graph. The orchestration releases jobs in order; scheduler threads hand
// each to its core; a job is a kernel. Used to test executors and drivers without the real device programs.
//
// Job i runs on core i mod cores, one job per core at a time, and not before `after[i]` jobs are done.
#pragma once

#include <cstdint>

#include "wire/program.h"

namespace taskmill::toy {

constexpr uint32_t kMaxJobs = 1024;

// What to run: lies where LaunchBlock::entry_scalars points. Kernels come from LaunchBlock::functions, called with the
// job's number as scalar 0 and `user` as scalar 1. LaunchBlock::orchestration_entry, if any, is void (*)(uint64_t user).
struct Plan {
  uint64_t user;
  uint32_t jobs;
  uint32_t window;  // most jobs submitted and not done; 0: any number
  uint32_t refuse;  // init returns this code
  uint32_t reserved;
  uint32_t after[kMaxJobs];
  uint32_t function[kMaxJobs];  // index into LaunchBlock::functions
  uint64_t busy;                // address of a word: as long as it is 0, schedulers always make progress. 0: none
};

// State of a run, in the run region behind the mailboxes.
struct Board {
  alignas(64) uint32_t submitted;
  alignas(64) uint32_t completed;
  alignas(64) uint32_t orchestrated;
  alignas(64) int32_t fatal;  // an ErrorCode
  alignas(64) uint32_t threads_left;
  struct alignas(64) Core {
    uint32_t sequence;
    uint32_t token;    // of the job that it runs; 0: free
    uint32_t started;  // jobs handed over
    uint32_t ready;    // said HELLO
    uint32_t gone;     // trapped, overdue or told to leave
    uint64_t since_ns;
  } core[CoreMask::kCapacity];
  uint64_t stuck[2];
};

constexpr uint64_t region_bytes(uint32_t cores) { return wire::line_base_offset(cores) + sizeof(Board); }

extern const wire::AicpuEntry kEntries[1];
wire::Step core_step(wire::CoreContext* context);
void core_trap(wire::CoreContext* context, uint32_t signal, uint64_t fault_address);

}  // namespace taskmill::toy
