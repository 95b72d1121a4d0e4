#include "device/aicpu/watchdog.h"

namespace taskmill::aicpu {
namespace {

constexpr uint64_t kTicksPerLimit = 8;

uint64_t period_of(uint64_t limit_ns) { return limit_ns == 0 ? ~uint64_t{0} : limit_ns / kTicksPerLimit + 1; }

}  // namespace

void Watchdog::init(uint64_t kernel_limit_ns, uint64_t stall_limit_ns) {
  *this = {};
  kernel_limit_ns_ = kernel_limit_ns;
  stall_limit_ns_ = stall_limit_ns;
  if (kernel_limit_ns == 0 && stall_limit_ns == 0) return;
  const uint64_t kernel = period_of(kernel_limit_ns);
  const uint64_t stall = period_of(stall_limit_ns);
  period_ns_ = kernel < stall ? kernel : stall;
}

// True if the core's kernel is overdue.
bool Watchdog::look_at(uint32_t core, const Flight& running, uint64_t now_ns) {
  Watched& watched = watched_[core];
  if (watched.sequence != running.sequence) {
    watched = {running.sequence, now_ns};
    return false;
  }
  return kernel_limit_ns_ != 0 && now_ns - watched.since_ns >= kernel_limit_ns_;
}

Watchdog::Tick Watchdog::tick(uint64_t now_ns, const CoreTable& cores, uint64_t moves) {
  Tick result = {};
  bool kernel_on_a_core = false;
  for (CoreMask mask = cores.busy(); !mask.empty();) {
    const uint32_t core = mask.take_first();
    const Flight running = cores.running(core);
    if (!running.present()) continue;
    kernel_on_a_core = true;
    if (look_at(core, running, now_ns)) result.overdue.set(core);
  }
  if (kernel_on_a_core || moves != moves_) {
    moves_ = moves;
    moved_ns_ = now_ns;
  }
  const uint64_t still_ns = now_ns - moved_ns_;
  if (stall_limit_ns_ != 0 && still_ns >= stall_limit_ns_) result.stalled_ns = still_ns;
  due_ns_ = now_ns + period_ns_;
  result.next_due_ns = due_ns_;
  return result;
}

}  // namespace taskmill::aicpu
