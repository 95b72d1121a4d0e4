// What happens to the graph when a task has completed. Called by the scheduler that completes it.
#pragma once

#include <cstdint>

#include "graph/region.h"

namespace taskmill::graph {

struct Edge {
  uint32_t consumer;  // slot
  uint32_t next;      // node
};

inline Edge read_edge(const GraphRegion& region, uint32_t node) {
  if (is_pool_node(node)) {
    const EdgeNode& pooled = region.edges[pool_ring(node)][pool_index(node)];
    return {pooled.consumer, pooled.next};
  }
  const uint32_t slot = inline_slot(node);
  return {slot, region.slots[slot].edge_next[inline_edge(node)]};
}

// A private list of pool nodes whose edges are done with, linked through EdgeNode::next.
inline uint32_t keep(const GraphRegion& region, uint32_t node, uint32_t kept) {
  region.edges[pool_ring(node)][pool_index(node)].next = kept;
  return node;
}
[[gnu::noinline]] inline void give_back(const GraphRegion& region, uint32_t kept) {
  EdgeChain chains[wire::kRings];
  while (kept != kNoNode) {
    EdgeNode* nodes = region.edges[pool_ring(kept)];
    const uint32_t next = nodes[pool_index(kept)].next;
    chains[pool_ring(kept)].add(nodes, pool_index(kept));
    kept = next;
  }
  for (uint32_t ring = 0; ring < wire::kRings; ++ring) region.edge_returns[ring].push(region.edges[ring], chains[ring]);
}

// Buffers of other tasks that this task named may go now, as far as it is concerned.
inline void release_pins(const GraphRegion& region, uint32_t slot) {
  const TaskDescription& task = region.slots[slot].description();
  const wire::TensorSlot* arguments = region.tensor_slots(slot);
  for (uint32_t i = 0; i < task.tensor_count; ++i) {
    if (arguments[i].owner != 0) region.slots[arguments[i].owner - 1].release_pin();
  }
  for (uint32_t i = 0; i < task.retained_count; ++i) region.slots[region.retained(task)[i]].release_pin();
}

// submitted → completed. Calls on_ready(slot) for each consumer that has become ready. The caller counts the task as
// completed (release) afterwards; from then on the slot may belong to another task.
template <class OnReady>
void complete(const GraphRegion& region, uint32_t slot, OnReady&& on_ready) {
  TaskSlot& task = region.slots[slot];
  uint32_t pooled = kNoNode;
  for (uint32_t node = task.consumers.seal(); node != kNoNode;) {
    // The node may lie in the consumer, which may complete and be replaced as soon as its count drops: read it first.
    const Edge edge = read_edge(region, node);
    if (is_pool_node(node)) pooled = keep(region, node, pooled);
    if (region.slots[edge.consumer].drop_missing()) on_ready(edge.consumer);
    node = edge.next;
  }
  if (pooled != kNoNode) give_back(region, pooled);
  release_pins(region, slot);
  task.mark_done();
}

}  // namespace taskmill::graph
