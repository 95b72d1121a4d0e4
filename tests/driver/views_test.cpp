#include "driver/sim/views.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/align.h"

namespace taskmill::sim {
namespace {

constexpr uint32_t kCore = Views::core_viewer(0);

struct alignas(kCacheLineBytes) Region {
  uint64_t words[16] = {};
};

uint64_t& word(const Views& views, uint32_t viewer, uint32_t index) { return reinterpret_cast<uint64_t*>(views.base(viewer))[index]; }

TEST(Views, what_one_viewer_wrote_reaches_another_by_a_write_back_and_a_fetch_of_whole_lines) {
  Region region;
  Views views(reinterpret_cast<uint64_t>(&region), sizeof region, 2);
  EXPECT_EQ(word(views, kCore, 9), 0xA5A5'A5A5'A5A5'A5A5u);
  word(views, Views::kAicpu, 9) = 7;
  views.write_back(Views::kAicpu, &word(views, Views::kAicpu, 9), 8);
  EXPECT_EQ(region.words[9], 7u);
  EXPECT_EQ(region.words[7], 0u) << "of another line";
  EXPECT_NE(word(views, kCore, 9), 7u);
  views.fetch(kCore, &word(views, kCore, 9), 8);
  EXPECT_EQ(word(views, kCore, 9), 7u);
}

// Elements of buffers and initial values: their memory is coherent.
TEST(Views, a_range_outside_the_region_is_left_alone) {
  Region region, heap;
  Views views(reinterpret_cast<uint64_t>(&region), sizeof region, 2);
  heap.words[0] = 3;
  const uint64_t begin = views.base(Views::kAicpu);
  const uint64_t outside[] = {reinterpret_cast<uint64_t>(&heap), reinterpret_cast<uint64_t>(&region), begin - 64, begin + sizeof region, 0};
  for (const uint64_t address : outside) {
    views.write_back(Views::kAicpu, reinterpret_cast<const void*>(address), 64);
    views.fetch(Views::kAicpu, reinterpret_cast<const void*>(address), 64);
  }
  EXPECT_EQ(heap.words[0], 3u);
  for (uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(region.words[i], 0u);
    EXPECT_EQ(word(views, Views::kAicpu, i), 0xA5A5'A5A5'A5A5'A5A5u);
  }
}

}  // namespace
}  // namespace taskmill::sim
