// The open scopes. A serial, used once, names a scope; so "is the scope of this buffer still open" is one comparison, and
// ending a scope drops its holds without visiting them.
#pragma once

#include <cstdint>

namespace taskmill::graph {

constexpr uint32_t kMaxScopeDepth = 64;

struct Scope {
  const char* file;
  uint32_t line;
  uint32_t serial;
  uint32_t held_tasks;  // tasks with buffers of this scope, that were not retired
};

class ScopeStack {
 public:
  // Scopes open now. Counts on past kMaxScopeDepth (after the error), so that ends keep matching begins.
  uint32_t depth() const { return depth_; }

  // False: too deep; the scope is counted only.
  bool begin(const char* file, uint32_t line) {
    const uint32_t index = depth_++;
    if (index >= kMaxScopeDepth) return false;
    scopes_[index] = {file, line, ++last_serial_, 0};
    return true;
  }
  // False: none is open.
  bool end() {
    if (depth_ == 0) return false;
    --depth_;
    return true;
  }

  bool is_open(uint32_t index, uint32_t serial) const {
    return index < depth_ && index < kMaxScopeDepth && scopes_[index].serial == serial;
  }
  // REQUIRES: 0 < depth() ≤ kMaxScopeDepth.
  uint32_t innermost() const { return depth_ - 1; }
  // REQUIRES: index < depth(), index < kMaxScopeDepth.
  Scope& at(uint32_t index) { return scopes_[index]; }
  const Scope& at(uint32_t index) const { return scopes_[index]; }

  uint32_t held_tasks() const {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < depth_ && i < kMaxScopeDepth; ++i) sum += scopes_[i].held_tasks;
    return sum;
  }

 private:
  uint32_t depth_ = 0;
  uint32_t last_serial_ = 0;
  Scope scopes_[kMaxScopeDepth] = {};
};

}  // namespace taskmill::graph
