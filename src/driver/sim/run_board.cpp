#include "driver/sim/run_board.h"

#include <fmt/format.h>

namespace taskmill::sim {
namespace {

const char* name_of(Processor processor) { return processor == Processor::kAicpu ? "AICPU" : "AICore"; }

// One program of both halves; the launch block is the AICPU's.
RunTicket::Program join(RunTicket::Program aicpu, RunTicket::Program aicore) {
  aicpu.program = aicore.program;
  aicpu.kept_alive.insert(aicpu.kept_alive.end(), aicore.kept_alive.begin(), aicore.kept_alive.end());
  return aicpu;
}

}  // namespace

Result<void> RunBoard::run(Processor processor, RunTicket::Program half) {
  const wire::LaunchBlock& launch = half.launch;
  const uint64_t serial = launch.run_serial;
  const bool is_aicore = processor == Processor::kAicore;
  if (is_aicore) {
    const std::lock_guard lock(mutex_);
    registers_.push_back({launch.registers, 3 * uint64_t{launch.clusters} * sizeof(wire::CoreRegisters), serial});
  }
  std::string fault;
  if (const std::shared_ptr<RunTicket> ticket = meet(processor, half)) {
    fault = ticket->wait(processor);
  } else {
    const std::lock_guard lock(mutex_);
    fault = abandoned_ ? "the device was abandoned: " + reason_ : fmt::format("a second {} launch of the run", name_of(processor));
  }
  if (is_aicore) {
    const std::lock_guard lock(mutex_);
    std::erase_if(registers_, [&](const Registers& own) { return own.run_serial == serial; });
  }
  if (fault.empty()) return {};
  return fail(ErrorCode::kDeviceFault, fmt::format("run {}: {} launch failed: {}", serial, name_of(processor), fault));
}

// The ticket of the started run, or null: abandoned, or a launch that nobody can pair.
std::shared_ptr<RunTicket> RunBoard::meet(Processor processor, RunTicket::Program& half) {
  const uint64_t serial = half.launch.run_serial;
  std::unique_lock lock(mutex_);
  if (abandoned_) return nullptr;
  std::shared_ptr<RunTicket> ticket;
  if (const auto place = waiting_.find(serial); place != waiting_.end()) {
    Half& partner = *place->second;
    if (partner.processor == processor) return nullptr;
    const bool is_aicpu = processor == Processor::kAicpu;
    ticket = std::make_shared<RunTicket>(is_aicpu ? join(half, *partner.program) : join(*partner.program, half));
    partner.ticket = ticket;
    waiting_.erase(place);
    changed_.notify_all();
  } else {
    Half own{processor, &half, nullptr, false};
    waiting_.emplace(serial, &own);
    changed_.wait(lock, [&] { return own.ticket != nullptr || own.poked || abandoned_; });
    if (own.ticket != nullptr) return own.ticket;
    waiting_.erase(serial);
    if (abandoned_) return nullptr;
    ticket = std::make_shared<RunTicket>(half);
  }
  lock.unlock();
  executor_->start(ticket);
  return ticket;
}

void RunBoard::wrote(DeviceAddress address, uint64_t bytes) {
  bool running = false;
  {
    const std::lock_guard lock(mutex_);
    for (const Registers& own : registers_) {
      if (address + bytes <= own.address || own.address + own.bytes <= address) continue;
      const auto place = waiting_.find(own.run_serial);
      if (place == waiting_.end() || place->second->processor != Processor::kAicore) {
        running = true;
        continue;
      }
      place->second->poked = true;
      changed_.notify_all();
    }
  }
  if (running) executor_->poke();
}

void RunBoard::abandon(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  reason_ = reason;
  changed_.notify_all();
}

}  // namespace taskmill::sim
