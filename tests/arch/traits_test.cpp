#include <gtest/gtest.h>

#include "arch/find.h"
#include "base/core_mask.h"

namespace taskmill::test {
namespace {

TEST(ChipTraits, chips_are_found_by_name_and_by_id) {
  EXPECT_EQ(arch::find("a2a3"), &arch::kA2a3);
  EXPECT_EQ(arch::find("a5"), &arch::kA5);
  EXPECT_EQ(arch::find("a4"), nullptr);
  EXPECT_EQ(arch::find(""), nullptr);
  EXPECT_EQ(arch::find(arch::ArchId::kA2a3), &arch::kA2a3);
  EXPECT_EQ(arch::find(arch::ArchId::kA5), &arch::kA5);
  EXPECT_EQ(arch::find(static_cast<arch::ArchId>(0)), nullptr);
}

TEST(ChipTraits, core_counts_are_the_chips_and_fit_a_mask) {
  EXPECT_EQ(arch::kA2a3.cores(), 72u);
  EXPECT_EQ(arch::kA5.cores(), 108u);
  for (const arch::ChipTraits* chip : {&arch::kA2a3, &arch::kA5}) {
    EXPECT_LE(chip->cores(), CoreMask::kCapacity);
    EXPECT_LE(chip->aicpu_threads, chip->aicpu_launch_bound);
  }
}

TEST(ChipTraits, every_cluster_has_one_cube_core_and_two_vector_lanes) {
  for (const arch::ChipTraits* chip : {&arch::kA2a3, &arch::kA5}) {
    uint32_t cubes = 0, lanes[2] = {};
    for (uint32_t core = 0; core < chip->cores(); ++core) {
      if (arch::core_is_aic(core, chip->clusters)) {
        ++cubes;
        EXPECT_EQ(arch::core_lane(core, chip->clusters), 0u);
      } else {
        ++lanes[arch::core_lane(core, chip->clusters)];
      }
    }
    EXPECT_EQ(cubes, chip->clusters);
    EXPECT_EQ(lanes[0], chip->clusters);
    EXPECT_EQ(lanes[1], chip->clusters);
  }
}

}  // namespace
}  // namespace taskmill::test
