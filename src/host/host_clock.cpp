#include "host/host_clock.h"

namespace taskmill {
namespace {

constexpr std::chrono::milliseconds kEventLimit{1'000};  // for an event on a stream without work

}  // namespace

PhaseSpans::PhaseSpans(const tmr::RunSlot& slot, bool on) : slot_(slot) {
  if (!on || !slot.device().info().timestamps) return;
  if (const Result<Handle> event = slot.device().create_event()) event_ = tmr::OwnedHandle(slot.device(), *event);
  last_ns_ = now_ns();
}

// Nothing if the device gives no time: a trace without host spans is still a trace.
std::optional<uint64_t> PhaseSpans::now_ns() const {
  Device& device = slot_.device();
  if (!event_.get() || !device.record(event_.get(), slot_.helper_stream()) || !device.synchronize(event_.get(), kEventLimit))
    return std::nullopt;
  const Result<uint64_t> time = device.timestamp(event_.get());
  return time ? std::optional(*time) : std::nullopt;
}

void PhaseSpans::mark(const char* phase) {
  const std::optional<uint64_t> now = now_ns();
  if (last_ns_ && now) spans_.push_back({*last_ns_, *now, "Host", phase, 0});
  last_ns_ = now;
}

void PhaseSpans::move_to(std::vector<TraceSpan>* spans) {
  spans->insert(spans->end(), std::make_move_iterator(spans_.begin()), std::make_move_iterator(spans_.end()));
  spans_.clear();
}

}  // namespace taskmill
