// What a scheduler knows about the cores that it owns: the AICPU's half of contract 4. Nothing here touches a register or a
// port; `observe` is told what COND said, `place` says which token to send.
//
// A core runs one dispatch and may hold a second, its follower, so that it need not wait for the AICPU between two kernels.
// Rules kept here: nothing is placed before HELLO of this generation; at most one token of a core is unacknowledged; a
// payload slot is reused only after FIN of its last occupant (a core never holds more than two dispatches, of neighbouring
// sequences, hence of different slots); no follower while a core of that shape is idle or has not started yet.
#pragma once

#include <cstdint>

#include "base/core_mask.h"
#include "graph/task_slot.h"
#include "taskmill/orchestration.h"
#include "wire/token.h"

namespace taskmill::aicpu {

constexpr uint32_t kNoCore = ~uint32_t{0};

// A task on its way through a core.
struct Flight {
  uint32_t slot = graph::kNoSlot;
  uint32_t sequence = 0;
  bool present() const { return slot != graph::kNoSlot; }
};

struct Placement {
  uint32_t core;
  uint32_t token;
};

// What one look at COND told.
struct Observation {
  Flight finished[2];  // in the order in which they ended
  uint32_t finished_count = 0;
  bool trapped = false;
  bool changed = false;  // the core's state is another one now
};

class CoreTable {
 public:
  // Owns all cores of `clusters` clusters. `first_sequence` is that of each core's first token: 1, but for tests of the wrap.
  void init(uint32_t generation, uint32_t clusters, uint32_t first_sequence);

  // Takes in a value of COND. After `trapped`, call trap().
  Observation observe(uint32_t core, uint32_t cond);
  // The core died. `follower_died`: it was in the kernel of its second dispatch, so the first one had finished and is returned.
  Flight trap(uint32_t core, bool follower_died);
  // Gives the core up: nothing of it is looked at again.
  void abandon(uint32_t core);

  // Chooses a core for a task of this type and books it; core == kNoCore: no room now.
  Placement place(CoreType type, uint32_t slot);
  bool has_room(CoreType type) const;

  // Cores whose COND may still bring news.
  CoreMask expecting() const { return (starting_ | busy_) & ~stuck_; }
  CoreMask starting() const { return starting_; }
  CoreMask busy() const { return busy_ & ~stuck_; }
  CoreMask stuck() const { return stuck_; }
  CoreMask owned() const { return shape_[0] | shape_[1]; }
  // May another word be sent to the core? Not over one that it has not acknowledged, and not to a dead one.
  bool takes_word(uint32_t core) const { return !dead_.test(core) && !waiting(core).present(); }
  // The kernel on the core, if one was seen to start.
  Flight running(uint32_t core) const { return cores_[core].acknowledged ? cores_[core].first : Flight{}; }
  // The dispatch behind the first.
  Flight follower(uint32_t core) const { return cores_[core].second; }
  // The newest dispatch that the core has not acknowledged.
  Flight waiting(uint32_t core) const;
  CoreMask shape(CoreType type) const { return shape_[static_cast<uint32_t>(type)]; }
  uint32_t generation() const { return generation_; }

 private:
  struct Core {
    Flight first;
    Flight second;
    uint32_t next_sequence = 0;
    bool acknowledged = false;  // `first` was
  };

  void refresh(uint32_t core);

  CoreMask starting_;  // no HELLO yet
  CoreMask idle_;
  CoreMask open_;      // acknowledged, no follower
  CoreMask busy_;      // a dispatch is out
  CoreMask stuck_;     // given up
  CoreMask dead_;      // of them, those that trapped
  CoreMask shape_[2];  // by CoreType
  uint32_t generation_ = 0;
  Core cores_[CoreMask::kCapacity];
};

}  // namespace taskmill::aicpu
