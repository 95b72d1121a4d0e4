#include "device/aicpu/core_table.h"

namespace taskmill::aicpu {
namespace {

void finish(Observation& observation, Flight& flight) {
  observation.finished[observation.finished_count++] = flight;
  flight = {};
}

}  // namespace

void CoreTable::init(uint32_t generation, uint32_t clusters, uint32_t first_sequence) {
  *this = {};
  generation_ = generation;
  shape_[static_cast<uint32_t>(CoreType::kAic)] = CoreMask::range(0, clusters);
  shape_[static_cast<uint32_t>(CoreType::kAiv)] = CoreMask::range(clusters, 2 * clusters);
  starting_ = owned();
  for (Core& core : cores_) core.next_sequence = first_sequence;
}

Observation CoreTable::observe(uint32_t index, uint32_t cond) {
  Observation seen;
  if (wire::token_generation(cond) != generation_) return seen;  // an earlier run's word
  const uint32_t sequence = wire::token_sequence(cond);
  if (sequence == wire::kExitSequence) {
    seen.trapped = true;
    return seen;
  }
  Core& core = cores_[index];
  seen.changed = starting_.test(index);
  starting_.clear(index);
  // COND is overwritten: an answer to the second dispatch implies FIN of the first.
  if (core.second.present() && sequence == core.second.sequence) {
    finish(seen, core.first);
    core.first = core.second;
    core.second = {};
    core.acknowledged = false;
  }
  if (core.first.present() && sequence == core.first.sequence) {
    seen.changed |= !core.acknowledged || wire::is_finished(cond);
    core.acknowledged = true;
    if (wire::is_finished(cond)) {
      finish(seen, core.first);
      core.first = core.second;
      core.second = {};
      core.acknowledged = false;
    }
  }
  refresh(index);
  return seen;
}

Flight CoreTable::trap(uint32_t index, bool follower_died) {
  Core& core = cores_[index];
  const Flight finished = follower_died ? core.first : Flight{};
  if (follower_died) {
    core.first = core.second;
    core.second = {};
  }
  core.acknowledged = true;
  dead_.set(index);
  abandon(index);
  return finished;
}

void CoreTable::abandon(uint32_t core) {
  stuck_.set(core);
  refresh(core);
}

bool CoreTable::has_room(CoreType type) const {
  const CoreMask cores = shape(type);
  if (!(idle_ & cores).empty()) return true;
  return (starting_ & cores).empty() && !(open_ & cores).empty();
}

Placement CoreTable::place(CoreType type, uint32_t slot) {
  if (!has_room(type)) return {kNoCore, wire::kNoToken};
  const CoreMask idle = idle_ & shape(type);
  const uint32_t index = idle.empty() ? (open_ & shape(type)).first() : idle.first();
  Core& core = cores_[index];
  const uint32_t sequence = core.next_sequence;
  core.next_sequence = wire::next_sequence(sequence);
  (core.first.present() ? core.second : core.first) = {slot, sequence};
  refresh(index);
  return {index, wire::make_token(generation_, sequence)};
}

Flight CoreTable::waiting(uint32_t index) const {
  const Core& core = cores_[index];
  if (core.second.present()) return core.second;
  return core.acknowledged ? Flight{} : core.first;
}

// Sets the core's bits from its state.
void CoreTable::refresh(uint32_t index) {
  const Core& core = cores_[index];
  const bool usable = !stuck_.test(index) && !starting_.test(index);
  const auto put = [index](CoreMask& mask, bool value) { value ? mask.set(index) : mask.clear(index); };
  put(idle_, usable && !core.first.present());
  put(open_, usable && core.acknowledged && core.first.present() && !core.second.present());
  put(busy_, core.first.present());
}

}  // namespace taskmill::aicpu
