// Who waits for a task: a list of edge nodes with one pusher (the orchestrator) and one sealer (the completer). Owner of
// contract 3.
//
// A node is named by a number. The first eight edges of a consumer lie in its own task slot, so that most submits touch no
// other memory; the rest come from the edge pool:
//
//   0                        no node: the end of a list
//   slot · 8 + k + 1         inline node k of the consumer in `slot`
//   2³¹ + ring · 2²⁸ + index node `index` of the ring's edge pool
//   0xFFFFFFFF               as a head: SEALED, the producer completed
#pragma once

#include <atomic>
#include <cstdint>

namespace taskmill::graph {

constexpr uint32_t kInlineEdges = 8;
constexpr uint32_t kNoNode = 0;
constexpr uint32_t kSealed = 0xFFFF'FFFF;
constexpr uint32_t kPoolNode = 0x8000'0000;

constexpr uint32_t inline_node(uint32_t slot, uint32_t edge) { return slot * kInlineEdges + edge + 1; }
constexpr uint32_t kPoolIndexBits = 28;
constexpr uint32_t pool_node(uint32_t ring, uint32_t index) { return kPoolNode | ring << kPoolIndexBits | index; }
// REQUIRES: node is neither kNoNode nor kSealed.
constexpr bool is_pool_node(uint32_t node) { return (node & kPoolNode) != 0; }
constexpr uint32_t pool_ring(uint32_t node) { return (node & ~kPoolNode) >> kPoolIndexBits; }
constexpr uint32_t pool_index(uint32_t node) { return node & ((1u << kPoolIndexBits) - 1); }
constexpr uint32_t inline_slot(uint32_t node) { return (node - 1) / kInlineEdges; }
constexpr uint32_t inline_edge(uint32_t node) { return (node - 1) % kInlineEdges; }

class ConsumerList {
 public:
  // Orchestrator, when it allocates the producer's slot. Nobody else can reach the slot then, and what makes the slot
  // reachable (a later push, or handing the task over) releases this store.
  void reset() { std::atomic_ref(head_).store(kNoNode, std::memory_order_relaxed); }

  // Orchestrator. Links `node`, whose link to the next node is *next. False: the producer has completed, there is nothing
  // to wait for, and everything that it did is visible.
  bool push(uint32_t node, uint32_t* next) {
    uint32_t head = std::atomic_ref(head_).load(std::memory_order_acquire);
    while (head != kSealed) {
      *next = head;
      if (std::atomic_ref(head_).compare_exchange_weak(head, node, std::memory_order_release, std::memory_order_acquire)) return true;
    }
    return false;
  }

  // Completer, once. Gives the first node; later pushes fail.
  uint32_t seal() { return std::atomic_ref(head_).exchange(kSealed, std::memory_order_acq_rel); }

  // Orchestrator: has the producer completed? Acquire, as in push.
  bool sealed() { return std::atomic_ref(head_).load(std::memory_order_acquire) == kSealed; }

  // Debugging and tests: the first node now. Stale at once when others run.
  uint32_t peek() { return std::atomic_ref(head_).load(std::memory_order_acquire); }

 private:
  uint32_t head_;
};
static_assert(sizeof(ConsumerList) == 4);

}  // namespace taskmill::graph
