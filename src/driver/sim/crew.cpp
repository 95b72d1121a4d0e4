#include "driver/sim/crew.h"

#include <algorithm>

#include "driver/sim/kernel_guard.h"

namespace taskmill::sim {

void Crew::give_spare(std::shared_ptr<Carrier::Act> act) {
  const std::lock_guard lock(mutex_);
  if (spares_.empty()) {
    auto carrier = std::make_shared<Carrier>();
    all_.push_back(carrier);
    spares_.reserve(all_.size());
    spares_.push_back(carrier);
    carrier->thread_ = std::thread([self = shared_from_this(), carrier] { self->main(carrier); });
  }
  const std::shared_ptr<Carrier> carrier = std::move(spares_.back());
  spares_.pop_back();
  carrier->act_ = std::move(act);
  carrier->has_baton_ = true;
  carrier->changed_.notify_one();
}

void Crew::give(Carrier& carrier) {
  const std::lock_guard lock(mutex_);
  carrier.has_baton_ = true;
  carrier.changed_.notify_one();
}

void Crew::await(Carrier& carrier) {
  std::unique_lock lock(mutex_);
  carrier.changed_.wait(lock, [&] { return carrier.has_baton_; });
  carrier.has_baton_ = false;
}

void Crew::retire(Carrier& carrier) {
  const std::lock_guard lock(mutex_);
  const auto own = std::find_if(all_.begin(), all_.end(), [&](const auto& other) { return other.get() == &carrier; });
  spares_.push_back(*own);
}

void Crew::lose(Carrier& carrier) {
  const std::lock_guard lock(mutex_);
  const auto own = std::find_if(all_.begin(), all_.end(), [&](const auto& other) { return other.get() == &carrier; });
  if (own == all_.end()) return;
  carrier.thread_.detach();
  all_.erase(own);
}

void Crew::disband() {
  std::vector<std::shared_ptr<Carrier>> leaving;
  {
    const std::lock_guard lock(mutex_);
    leaving = all_;
    for (const auto& carrier : leaving) {
      carrier->leave_ = true;
      carrier->changed_.notify_one();
    }
    all_.clear();
    spares_.clear();
  }
  for (const auto& carrier : leaving) carrier->thread_.join();
}

uint32_t Crew::threads() const {
  const std::lock_guard lock(mutex_);
  return static_cast<uint32_t>(all_.size());
}

void Crew::main(const std::shared_ptr<Carrier>& carrier) {
  const GuardedThread guarded;
  for (;;) {
    std::shared_ptr<Carrier::Act> act;
    {
      std::unique_lock lock(mutex_);
      carrier->changed_.wait(lock, [&] { return carrier->has_baton_ || carrier->leave_; });
      if (!carrier->has_baton_) return;
      carrier->has_baton_ = false;
      act = std::move(carrier->act_);
    }
    act->play(*carrier);
  }
}

}  // namespace taskmill::sim
