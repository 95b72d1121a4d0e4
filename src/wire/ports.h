// What a device program needs from outside, as two tables in the launch block: the simulator's executors, a test's harness
// and the hardware each supply one.
#pragma once

#include <cstdint>

#include "base/core_mask.h"

namespace taskmill::wire {

struct CorePort {
  void* context;  // AICPU's or one core's view, first argument of each function

  // ---- AICPU side
  void (*dispatch)(void* context, uint32_t core, uint32_t token);
  uint32_t (*poll)(void* context, uint32_t core);  // COND, with a load barrier
  // Removes from *cores those whose COND certainly has not changed since this function last let them through.
  void (*news)(void* context, CoreMask* cores);
  // Makes [address, address + bytes) of the run region, of the output heap or of an argument's buffer, as this side wrote it,
  // readable by the other side.
  void (*publish)(void* context, const void* address, uint64_t bytes);

  // ---- both sides
  // Forgets what this side has cached of [address, address + bytes): the next read sees what was published or cleaned.
  void (*invalidate)(void* context, const void* address, uint64_t bytes);

  // ---- core side
  // Writes back what this core wrote to [address, address + bytes): before FIN.
  void (*clean)(void* context, const void* address, uint64_t bytes);
  uint64_t (*now_ns)(void* context);
};

struct AicpuPort {
  void* context;
  uint64_t (*now_ns)(void* context);
  // Steps scheduler `thread` at `due_ns` or later; a thread has one timer, the newest due replaces the last.
  void (*arm_timer)(void* context, uint32_t thread, uint64_t due_ns);
  // Sleeps until *word may differ from `seen` (it may return early). False: the run was abandoned, return at once.
  bool (*block)(void* context, const uint32_t* word, uint32_t seen);
  // Wakes whoever sleeps in block(word).
  void (*wake)(void* context, const uint32_t* word);
  // Steps scheduler `thread`, which may have returned kIdle. In the seeded executor a point where others may run.
  void (*notify)(void* context, uint32_t thread);
};

}  // namespace taskmill::wire
