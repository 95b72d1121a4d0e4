// Edges beyond the eight that lie in a consumer's own slot. The orchestrator takes nodes; completers give them back through
// a stack that the orchestrator takes whole, so that no node can be met twice (no ABA).
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/align.h"
#include "graph/consumer_list.h"

namespace taskmill::graph {

struct EdgeNode {
  uint32_t consumer;  // slot
  uint32_t next;      // node number in a consumer list; 1 + index in a free list
};
static_assert(sizeof(EdgeNode) == 8);

// Nodes that one completion gives back, linked in private first.
struct EdgeChain {
  uint32_t first = 0;  // 1 + index, 0: empty
  uint32_t last = 0;

  void add(EdgeNode* nodes, uint32_t index) {
    nodes[index].next = first;
    if (first == 0) last = index + 1;
    first = index + 1;
  }
};

// The way back. Many completers push, the orchestrator takes.
class alignas(kCacheLineBytes) EdgeReturns {
 public:
  void reset() { std::atomic_ref(head_).store(0, std::memory_order_relaxed); }  // before any other thread runs

  void push(EdgeNode* nodes, const EdgeChain& chain) {
    if (chain.first == 0) return;
    // Relaxed: a stale head only makes the exchange below fail and reload.
    uint32_t head = std::atomic_ref(head_).load(std::memory_order_relaxed);
    do {
      nodes[chain.last - 1].next = head;
    } while (!std::atomic_ref(head_).compare_exchange_weak(head, chain.first, std::memory_order_release, std::memory_order_relaxed));
  }

  // 1 + index of the first of a list linked through EdgeNode::next; 0: none.
  uint32_t take_all() { return std::atomic_ref(head_).exchange(0, std::memory_order_acquire); }

 private:
  uint32_t head_;
};
static_assert(sizeof(EdgeReturns) == kCacheLineBytes && std::is_trivially_copyable_v<EdgeReturns>);

// The orchestrator's side. Nodes are handed out in order until each was used once, so that init touches none of them.
class EdgePool {
 public:
  static constexpr uint32_t kNone = 0xFFFF'FFFF;

  void init(EdgeNode* nodes, EdgeReturns* returns, uint32_t capacity) {
    *this = {};
    nodes_ = nodes;
    returns_ = returns;
    capacity_ = capacity;
    returns_->reset();
  }

  // Index of a free node; kNone: all are in lists of producers that have not completed.
  uint32_t take() {
    if (free_ == 0) {
      if (fresh_ < capacity_) return count(fresh_++);
      refill();
      if (free_ == 0) return kNone;
    }
    const uint32_t index = free_ - 1;
    free_ = nodes_[index].next;
    return count(index);
  }
  // Takes back a node that was never linked.
  void put_back(uint32_t index) {
    nodes_[index].next = free_;
    free_ = index + 1;
    --out_;
  }

  uint32_t capacity() const { return capacity_; }
  // Most nodes that were out at once, those counted that came back unnoticed since.
  uint32_t peak() const { return peak_; }

 private:
  void refill() {
    free_ = returns_->take_all();
    for (uint32_t node = free_; node != 0; node = nodes_[node - 1].next) --out_;
  }
  uint32_t count(uint32_t index) {
    if (++out_ > peak_) peak_ = out_;
    return index;
  }

  EdgeNode* nodes_ = nullptr;
  EdgeReturns* returns_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t fresh_ = 0;  // nodes from here on were never used
  uint32_t free_ = 0;   // 1 + index
  uint32_t out_ = 0;
  uint32_t peak_ = 0;
};

}  // namespace taskmill::graph
