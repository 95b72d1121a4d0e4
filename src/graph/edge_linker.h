// Links one new task behind its producers. When edges of a ring run short it links what it can and waits for some to come
// back: all that are out lie in lists of producers that have not completed, and none of those waits for this task.
#pragma once

#include <cstdint>

#include "graph/access_index.h"
#include "graph/edge_pool.h"
#include "graph/environment.h"
#include "graph/region.h"
#include "graph/task_ring.h"

namespace taskmill::graph {

template <BuilderEnvironment Environment>
class EdgeLinker {
 public:
  // `pool` is that of `ring`.
  EdgeLinker(const GraphRegion& region, const TaskRings& tasks, uint32_t ring, EdgePool& pool, Environment& environment, TaskRef consumer)
      : region_(region), tasks_(tasks), ring_(ring), pool_(pool), environment_(environment), consumer_(consumer) {}

  // The consumer follows `producer`, an earlier task. A second time for the same producer changes nothing.
  Link operator()(TaskRef producer) {
    if (!tasks_.live(producer)) return Link::kCompleted;
    const uint32_t slot = tasks_.slot(producer);
    TaskRecord& record = region_.records[slot];
    if (record.last_consumer == consumer_) return Link::kPending;
    record.last_consumer = consumer_;
    ConsumerList& consumers = region_.slots[slot].consumers;
    return linked_ < kInlineEdges ? link_inline(consumers) : link_pooled(consumers);
  }

  TaskRef consumer() const { return consumer_; }
  uint32_t linked() const { return linked_; }

 private:
  Link link_inline(ConsumerList& consumers) {
    const uint32_t own = tasks_.slot(consumer_);
    if (!consumers.push(inline_node(own, linked_), &region_.slots[own].edge_next[linked_])) return Link::kCompleted;
    ++linked_;
    return Link::kPending;
  }

  Link link_pooled(ConsumerList& consumers) {
    uint32_t index = EdgePool::kNone;
    for (;;) {
      // Read before looking for a node: a completion after this changes it, so the wait cannot miss it.
      const auto seen = environment_.completed();
      index = pool_.take();
      if (index != EdgePool::kNone) break;
      if (consumers.sealed()) return Link::kCompleted;
      if (environment_.fatal() || !environment_.wait_completed(seen)) return Link::kAbandoned;
    }
    EdgeNode& node = region_.edges[ring_][index];
    node.consumer = tasks_.slot(consumer_);
    if (!consumers.push(pool_node(ring_, index), &node.next)) {
      pool_.put_back(index);
      return Link::kCompleted;
    }
    ++linked_;
    return Link::kPending;
  }

  const GraphRegion& region_;
  const TaskRings& tasks_;
  uint32_t ring_;
  EdgePool& pool_;
  Environment& environment_;
  TaskRef consumer_;
  uint32_t linked_ = 0;
};

}  // namespace taskmill::graph
