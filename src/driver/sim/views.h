// The non-coherent mode: the AICPU and every core see the run region in memory of their own, and what one of them wrote
// reaches another only through the port calls of contract 4. A forgotten call shows as poison or as an old value.
//
// Whole cache lines move, as on the chip. Ranges outside the region are coherent and left alone.
// Thread-safety: a range may be moved by one thread at a time; the dispatch protocol sees to that.
#pragma once

#include <cstdint>

namespace taskmill::sim {

class Views {
 public:
  static constexpr uint32_t kAicpu = 0;
  static constexpr uint32_t core_viewer(uint32_t core) { return 1 + core; }
  static constexpr uint8_t kPoison = 0xA5;

  // `home` is the region itself; viewers 0 to viewers - 1 get a poisoned view each. Aborts if the address space is full.
  Views(uint64_t home, uint64_t bytes, uint32_t viewers);
  ~Views();
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;

  uint64_t base(uint32_t viewer) const { return memory_ + uint64_t{viewer} * stride_; }
  // [address, address + bytes) as `viewer` addresses it: from its view to the region, or from the region to its view.
  void write_back(uint32_t viewer, const void* address, uint64_t bytes);
  void fetch(uint32_t viewer, const void* address, uint64_t bytes);

 private:
  struct Range {
    uint64_t offset;
    uint64_t bytes;  // 0: nothing to move
  };
  Range lines(uint32_t viewer, const void* address, uint64_t bytes) const;

  uint64_t home_;
  uint64_t bytes_;
  uint64_t stride_;
  uint64_t total_;
  uint64_t memory_;
};

}  // namespace taskmill::sim
