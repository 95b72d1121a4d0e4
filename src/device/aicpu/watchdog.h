// The two time limits of contract 1. It works at the ticks of a timer, an eighth of the smaller limit apart, and costs
// nothing between them: a kernel is overdue when the same dispatch was seen running for the limit's length, and the run
// stalls when for that long nothing completed and no kernel was on a core. So a limit is exceeded by an eighth at most
// before it is noticed, and never noticed early.
#pragma once

#include <cstdint>

#include "device/aicpu/core_table.h"

namespace taskmill::aicpu {

class Watchdog {
 public:
  // A limit of 0 is off.
  void init(uint64_t kernel_limit_ns, uint64_t stall_limit_ns);

  bool enabled() const { return period_ns_ != 0; }
  bool due(uint64_t now_ns) const { return now_ns >= due_ns_; }

  struct Tick {
    CoreMask overdue;      // cores whose kernel runs for longer than its limit
    uint64_t stalled_ns;   // > 0: nothing moved for this long, which is the limit or more
    uint64_t next_due_ns;  // when to arm the timer for
  };
  // REQUIRES: due(now_ns). `moves` is any count that grows with each completion.
  Tick tick(uint64_t now_ns, const CoreTable& cores, uint64_t moves);

  // Gives the run the whole stall limit again.
  void restart_stall(uint64_t now_ns) { moved_ns_ = now_ns; }

  uint64_t kernel_limit_ns() const { return kernel_limit_ns_; }
  uint64_t stall_limit_ns() const { return stall_limit_ns_; }
  // How long the kernel that runs on the core was seen there.
  uint64_t seen_running_ns(uint32_t core, uint64_t now_ns) const { return now_ns - watched_[core].since_ns; }

 private:
  bool look_at(uint32_t core, const Flight& running, uint64_t now_ns);

  struct Watched {
    uint32_t sequence;  // 0: none, sequences start at 1
    uint64_t since_ns;
  };
  uint64_t kernel_limit_ns_ = 0;
  uint64_t stall_limit_ns_ = 0;
  uint64_t period_ns_ = 0;
  uint64_t due_ns_ = 0;
  uint64_t moves_ = ~uint64_t{0};
  uint64_t moved_ns_ = 0;
  Watched watched_[CoreMask::kCapacity] = {};
};

}  // namespace taskmill::aicpu
