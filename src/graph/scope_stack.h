// The scopes that keep buffers. A serial, used once, names a scope; so "does the scope of this buffer still keep it" is one
// comparison, and ending a scope drops its holds without visiting them.
//
// A scope keeps its buffers while it is open. Where closed scopes linger, the last one that was closed at each depth keeps
// them on, until the next one at its depth or its parent is closed; the runtime may give lingering up when room runs out.
#pragma once

#include <cstdint>

#include "graph/frontier.h"
#include "wire/launch_block.h"

namespace taskmill::graph {

constexpr uint32_t kMaxScopeDepth = 64;

struct Scope {
  const char* file;
  uint32_t line;
  uint32_t serial;
  uint32_t held_tasks;  // tasks that made buffers in this scope
  bool manual;          // its tasks are ordered by explicit dependencies only
  Frontier first_held;  // before the first task that made a buffer, if there is one
};

class ScopeStack {
 public:
  // Scopes open now. Counts on past kMaxScopeDepth (after the error), so that ends keep matching begins.
  uint32_t depth() const { return depth_; }

  // False: too deep; the scope is counted only.
  bool begin(const char* file, uint32_t line, bool manual) {
    const uint32_t index = depth_++;
    if (index >= kMaxScopeDepth) return false;
    scopes_[index] = {file, line, ++last_serial_, 0, manual, {}};
    return true;
  }
  // REQUIRES: depth() > 0. `linger`: it keeps its buffers for now. Calls held(place of the stack, Frontier) for each scope that has
  // kept buffers until now: this one, and those that lingered because of it.
  template <class Held>
  void end(bool linger, Held&& held) {
    const uint32_t index = --depth_;
    if (index >= kMaxScopeDepth) return;
    if (index + 1 < kMaxScopeDepth) {
      if (lingering_[index + 1].held_tasks != 0) held(index + 1, lingering_[index + 1].first_held);
      lingering_[index + 1] = {};
    }
    if (lingering_[index].held_tasks != 0) held(index, lingering_[index].first_held);
    if (scopes_[index].held_tasks != 0) held(index, scopes_[index].first_held);
    lingering_[index] = linger ? scopes_[index] : Scope{};
  }
  // The oldest lingering scope of a depth that takes room in `ring` stops lingering. False: none lingers there.
  bool give_up_lingering(uint32_t ring) {
    for (uint32_t index = ring; index < kMaxScopeDepth && wire::ring_of_depth(index) == ring; ++index) {
      if (lingering_[index].serial == 0) continue;
      lingering_[index] = {};
      return true;
    }
    return false;
  }

  // Does the scope with this serial at place `index` of the stack keep its buffers?
  bool keeps(uint32_t index, uint32_t serial) const {
    if (index >= kMaxScopeDepth) return false;
    return (index < depth_ && scopes_[index].serial == serial) || lingering_[index].serial == serial;
  }
  // REQUIRES: 0 < depth() ≤ kMaxScopeDepth.
  uint32_t innermost() const { return depth_ - 1; }
  // REQUIRES: index < depth(), index < kMaxScopeDepth.
  Scope& at(uint32_t index) { return scopes_[index]; }
  const Scope& at(uint32_t index) const { return scopes_[index]; }

  // By the open scopes that take room in `ring`.
  uint32_t held_tasks(uint32_t ring) const {
    uint32_t sum = 0;
    for (uint32_t i = ring; i < depth_ && i < kMaxScopeDepth && wire::ring_of_depth(i) == ring; ++i) sum += scopes_[i].held_tasks;
    return sum;
  }

 private:
  uint32_t depth_ = 0;
  uint32_t last_serial_ = 0;
  Scope scopes_[kMaxScopeDepth] = {};
  Scope lingering_[kMaxScopeDepth] = {};  // serial 0: none
};

}  // namespace taskmill::graph
