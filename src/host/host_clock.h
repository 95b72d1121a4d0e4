// The times of a run's phases.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taskmill/host.h"
#include "variant/tmr/host/run_slot.h"

namespace taskmill {

// How long something took on the host, for reports.
class Stopwatch {
 public:
  uint64_t elapsed_ns() const {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Places the host's phases on the timeline of the device's clock, by events on the helper stream. Off, or on a device without
// timestamps: no spans, no driver calls.
class PhaseSpans {
 public:
  PhaseSpans(const tmr::RunSlot& slot, bool on);
  // Ends the phase that ran since the last mark (or the start).
  void mark(const char* phase);
  void move_to(std::vector<TraceSpan>* spans);

 private:
  std::optional<uint64_t> now_ns() const;

  const tmr::RunSlot& slot_;
  tmr::OwnedHandle event_;
  std::optional<uint64_t> last_ns_;
  std::vector<TraceSpan> spans_;
};

}  // namespace taskmill
