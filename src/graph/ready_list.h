// Ready tasks. The task is the node (TaskSlot::ready_next), so that no list can overflow. A task is in one list at most.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/align.h"
#include "graph/task_slot.h"

namespace taskmill::graph {

// First in, first out; private to one thread.
class ReadyList {
 public:
  bool empty() const { return first_ == kNoSlot; }
  // First slot; kNoSlot if empty.
  uint32_t peek() const { return first_; }

  void push(TaskSlot* slots, uint32_t slot) {
    slots[slot].ready_next = kNoSlot;
    if (empty()) {
      first_ = slot;
    } else {
      slots[last_].ready_next = slot;
    }
    last_ = slot;
  }

  // kNoSlot if empty.
  uint32_t pop(TaskSlot* slots) {
    const uint32_t slot = first_;
    if (slot != kNoSlot) first_ = slots[slot].ready_next;
    return slot;
  }

  // Appends all of `other`, which is empty afterwards.
  void splice(TaskSlot* slots, ReadyList& other) {
    if (other.empty()) return;
    if (empty()) {
      first_ = other.first_;
    } else {
      slots[last_].ready_next = other.first_;
    }
    last_ = other.last_;
    other.first_ = kNoSlot;
  }

 private:
  uint32_t first_ = kNoSlot;
  uint32_t last_ = kNoSlot;  // meaningless while empty
};

// Hands ready tasks to one taker. Any thread pushes; the taker gets everything in the order of the pushes.
class alignas(kCacheLineBytes) ReadyInbox {
 public:
  void push(TaskSlot* slots, uint32_t slot) { push_chain(slots, slot, slot); }

  // Hands over a private list with one exchange; it is empty afterwards.
  void push_all(TaskSlot* slots, ReadyList& batch) {
    const uint32_t oldest = batch.peek();
    uint32_t newest = kNoSlot;
    for (uint32_t slot = batch.pop(slots); slot != kNoSlot; slot = batch.pop(slots)) {
      slots[slot].ready_next = newest;
      newest = slot;
    }
    if (newest != kNoSlot) push_chain(slots, newest, oldest);
  }

  // Taker. Appends all to `list`, oldest first. False: there was nothing.
  bool take_all(TaskSlot* slots, ReadyList& list) {
    // Relaxed: looking costs no exclusive access to the line; a push that is missed here is seen by a later look.
    if (std::atomic_ref(head_).load(std::memory_order_relaxed) == kNoSlot) return false;
    uint32_t slot = std::atomic_ref(head_).exchange(kNoSlot, std::memory_order_acquire);
    uint32_t oldest = kNoSlot;
    while (slot != kNoSlot) {
      const uint32_t next = slots[slot].ready_next;
      slots[slot].ready_next = oldest;
      oldest = slot;
      slot = next;
    }
    while (oldest != kNoSlot) {
      const uint32_t next = slots[oldest].ready_next;
      list.push(slots, oldest);
      oldest = next;
    }
    return true;
  }

  // Anyone: is there something to take? Acquire: a thread that goes to sleep only if this is false sees every push that
  // happened before the wake-up it would miss.
  bool empty() { return std::atomic_ref(head_).load(std::memory_order_acquire) == kNoSlot; }

 private:
  // `newest` leads to `oldest` through ready_next.
  void push_chain(TaskSlot* slots, uint32_t newest, uint32_t oldest) {
    // Relaxed: a stale head only makes the exchange below fail and reload.
    uint32_t head = std::atomic_ref(head_).load(std::memory_order_relaxed);
    do {
      slots[oldest].ready_next = head;
    } while (!std::atomic_ref(head_).compare_exchange_weak(head, newest, std::memory_order_release, std::memory_order_relaxed));
  }

  uint32_t head_ = kNoSlot;  // newest
};
static_assert(sizeof(ReadyInbox) == kCacheLineBytes);

}  // namespace taskmill::graph
