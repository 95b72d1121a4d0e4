// The states of a run's units in the pool: idle, queued, running, running and queued again, dead. A unit never runs on two
// threads at once, and a unit that was queued after its last step began is stepped again.
//
// Sixteen units share a 64-bit word, four bits each; cores come first, so that the words of cores fill one cache line, and
// scheduler threads have a word of their own. Every change is a read-modify-write of the word: it releases what its
// thread wrote before, and acquires what the threads of earlier changes wrote.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/align.h"
#include "base/core_mask.h"

namespace taskmill::sim {

class UnitBoard {
 public:
  static constexpr uint32_t kUnitsPerWord = 16;
  static constexpr uint32_t kCoreWords = CoreMask::kCapacity / kUnitsPerWord;
  static constexpr uint32_t kWords = kCoreWords + 1;
  static constexpr uint32_t kFirstScheduler = CoreMask::kCapacity;
  static constexpr uint32_t kNone = kWords * kUnitsPerWord;

  // True: the unit was idle, so somebody must be found who takes it.
  bool queue(uint32_t unit) {
    const uint64_t old = word(unit).fetch_or(kQueued << shift(unit), std::memory_order_seq_cst);
    return ((old >> shift(unit)) & (kQueued | kRunning | kDead)) == 0;
  }
  // A look without a change: a unit seen as queued will be taken by a change that comes after this look.
  bool is_queued(uint32_t unit) const { return ((word(unit).load(std::memory_order_seq_cst) >> shift(unit)) & kQueued) != 0; }
  // Takes a queued unit of a word, now running on this thread; kNone.
  uint32_t take(uint32_t word_index) {
    std::atomic<uint64_t>& word = words_[word_index].value;
    uint64_t seen = word.load(std::memory_order_relaxed);  // the exchange below decides
    for (uint64_t waiting = takable(seen); waiting != 0; waiting = takable(seen)) {
      const auto at = static_cast<uint32_t>(std::countr_zero(waiting));
      const uint32_t unit = word_index * kUnitsPerWord + at / kBits;
      const uint64_t taken = (seen & ~(kQueued << at)) | (kRunning << at);
      if (word.compare_exchange_weak(seen, taken, std::memory_order_seq_cst)) return unit;
    }
    return kNone;
  }
  // The step is over. True: the unit was killed meanwhile.
  bool release(uint32_t unit) {
    const uint64_t old = word(unit).fetch_and(~(kRunning << shift(unit)), std::memory_order_seq_cst);
    return ((old >> shift(unit)) & kDead) != 0;
  }
  // No step of the unit begins from now on. True: one is running, and nobody killed the unit before.
  bool kill(uint32_t unit) {
    const uint64_t old = word(unit).fetch_or(kDead << shift(unit), std::memory_order_seq_cst);
    return ((old >> shift(unit)) & (kRunning | kDead)) == kRunning;
  }
  // Units that wait to be taken: none, one, or more (2).
  uint32_t waiting() const {
    uint64_t seen = 0;
    bool more = false;
    for (const Word& word : words_) {
      const uint64_t units = takable(word.value.load(std::memory_order_seq_cst));
      more |= (units & (units - 1)) != 0 || (seen != 0 && units != 0);
      seen |= units;
    }
    return more ? 2 : seen != 0 ? 1 : 0;
  }
  bool scheduler_waits() const { return takable(words_[kCoreWords].value.load(std::memory_order_relaxed)) != 0; }  // a hint

 private:
  static constexpr uint32_t kBits = 4;
  static constexpr uint64_t kQueued = 1;
  static constexpr uint64_t kRunning = 2;
  static constexpr uint64_t kDead = 4;
  static constexpr uint64_t kEveryUnit = 0x1111'1111'1111'1111;

  struct Word {
    std::atomic<uint64_t> value{0};
  };

  static uint64_t takable(uint64_t word) { return word & ~(word >> 1) & ~(word >> 2) & kEveryUnit; }
  static uint32_t shift(uint32_t unit) { return unit % kUnitsPerWord * kBits; }
  std::atomic<uint64_t>& word(uint32_t unit) { return words_[unit / kUnitsPerWord].value; }
  const std::atomic<uint64_t>& word(uint32_t unit) const { return words_[unit / kUnitsPerWord].value; }

  alignas(kCacheLineBytes) std::array<Word, kWords> words_;
};

}  // namespace taskmill::sim
