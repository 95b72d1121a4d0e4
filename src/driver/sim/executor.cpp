#include "driver/sim/executor.h"

namespace taskmill::sim {

void RunTicket::end(Processor half, const std::string& fault) {
  const std::lock_guard lock(mutex_);
  auto& ended = ended_[static_cast<size_t>(half)];
  if (ended) return;
  ended = fault;
  changed_.notify_all();
}

void RunTicket::end_both(const std::string& fault) {
  end(Processor::kAicpu, fault);
  end(Processor::kAicore, fault);
}

std::string RunTicket::wait(Processor half) const {
  const auto& ended = ended_[static_cast<size_t>(half)];
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended.has_value(); });
  return *ended;
}

}  // namespace taskmill::sim
