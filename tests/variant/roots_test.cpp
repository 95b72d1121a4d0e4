#include "variant/tmr/host/roots.h"

#include <gtest/gtest.h>

#include <random>

#include "variant/fixture.h"

namespace taskmill::tmr {
namespace {

EntryArgument host_bytes(uint64_t address, uint64_t bytes, bool writes, const char* label) {
  EntryArgument argument = device_argument(address, static_cast<uint32_t>(bytes / 4), writes, label);
  argument.on_device = false;
  return argument;
}

TEST(Roots, the_same_host_buffer_twice_is_one_root_that_gathers_both_uses) {
  std::vector<EntryArgument> arguments = {host_bytes(4096, 64, true, "x"), host_bytes(8192, 64, false, "y"),
                                          host_bytes(4096, 64, false, "z")};
  arguments[0].reads = false;
  const Roots found = *find_roots(arguments);
  EXPECT_EQ(found.root_of, (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(found.roots.size(), 2u);
  EXPECT_TRUE(found.roots[0].reads);
  EXPECT_TRUE(found.roots[0].writes);
  EXPECT_FALSE(found.roots[1].writes);
}

TEST(Roots, host_buffers_that_overlap_in_part_with_a_writer_are_refused_by_both_names) {
  const std::vector<EntryArgument> arguments = {host_bytes(4096, 64, false, "argument 0 (\"a\") of \"f\""),
                                                host_bytes(4128, 64, true, "argument 1 (\"b\") of \"f\"")};
  const Result<Roots> found = find_roots(arguments);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kOverlappingArguments);
  EXPECT_EQ(found.error().message.find("argument 0 (\"a\") of \"f\" (64 bytes) and argument 1 (\"b\") of \"f\" (64 bytes) share 32 bytes"),
            0u)
      << found.error().message;
}

TEST(Roots, a_writer_that_joins_a_shared_buffer_later_is_seen_too) {
  const std::vector<EntryArgument> arguments = {host_bytes(4096, 64, false, "a"), host_bytes(4128, 64, false, "b"),
                                                host_bytes(4096, 64, true, "c")};
  EXPECT_EQ(find_roots(arguments).error().code, ErrorCode::kOverlappingArguments);
}

TEST(Roots, host_buffers_that_are_only_read_may_overlap_and_are_staged_apart) {
  const std::vector<EntryArgument> arguments = {host_bytes(4096, 64, false, "a"), host_bytes(4128, 64, false, "b")};
  EXPECT_EQ(find_roots(arguments)->roots.size(), 2u);
}

TEST(Roots, buffers_that_touch_do_not_overlap) {
  const std::vector<EntryArgument> arguments = {host_bytes(4096, 64, true, "a"), host_bytes(4160, 64, true, "b"),
                                                device_argument(1 << 20, 16, true), device_argument((1 << 20) + 64, 16, true)};
  EXPECT_EQ(find_roots(arguments)->roots.size(), 4u);
}

TEST(Roots, identical_and_contained_device_tensors_share_the_root_of_the_largest) {
  const std::vector<EntryArgument> arguments = {device_argument(4096 + 128, 8, false), device_argument(4096, 256, true),
                                                device_argument(4096, 256, false)};
  const Roots found = *find_roots(arguments);
  ASSERT_EQ(found.roots.size(), 1u);
  EXPECT_EQ(found.roots[0].address, 4096u);
  EXPECT_EQ(found.roots[0].bytes, 1024u);
  EXPECT_EQ(found.roots[0].first, 0u);
  EXPECT_TRUE(found.roots[0].writes);
}

TEST(Roots, device_tensors_that_overlap_in_part_are_views_of_their_union) {
  const std::vector<EntryArgument> arguments = {device_argument(4096 + 512, 256, true), device_argument(4096, 256, true)};
  const Roots found = *find_roots(arguments);
  ASSERT_EQ(found.roots.size(), 1u);
  EXPECT_EQ(found.roots[0].address, 4096u);
  EXPECT_EQ(found.roots[0].bytes, 1536u);
}

TEST(Roots, device_tensors_that_overlap_by_a_part_of_an_element_are_refused_by_both_names) {
  const std::vector<EntryArgument> arguments = {device_argument(4096, 256, true, "a"), device_argument(4096 + 2, 16, false, "b")};
  const Result<Roots> found = find_roots(arguments);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kOverlappingArguments);
  EXPECT_EQ(found.error().message, "b lies 2 bytes into the memory of a, which is not a multiple of its 4-byte elements");
}

TEST(Roots, B9_tensors_without_bytes_are_roots_of_their_own_wherever_they_lie) {
  const std::vector<EntryArgument> arguments = {host_bytes(4096, 64, true, "a"), host_bytes(4100, 0, true, "b"),
                                                host_bytes(4100, 0, true, "c"), device_argument(0, 0, true)};
  const Roots found = *find_roots(arguments);
  EXPECT_EQ(found.root_of, (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(Roots, of_random_device_tensors_are_disjoint_hold_their_tensors_and_waste_no_byte) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<EntryArgument> arguments;
    std::vector<bool> named(1200, false);
    for (uint32_t count = 1 + random() % 12; count > 0; --count) {
      const uint32_t start = random() % 1000, floats = 1 + random() % 100;
      arguments.push_back(device_argument(4096 + start * 4, floats, (random() & 1) != 0));
      for (uint32_t i = start; i < start + floats; ++i) named[i] = true;
    }
    const Roots found = *find_roots(arguments);
    std::vector<int> owners(1200, 0);
    for (const Root& root : found.roots) {
      for (uint64_t i = 0; i < root.bytes / 4; ++i) ++owners[(root.address - 4096) / 4 + i];
    }
    for (size_t i = 0; i < owners.size(); ++i) EXPECT_EQ(owners[i], named[i] ? 1 : 0) << "float " << i;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Root& root = found.roots[found.root_of[i]];
      EXPECT_LE(root.address, arguments[i].address);
      EXPECT_GE(root.address + root.bytes, arguments[i].address + arguments[i].bytes);
      EXPECT_LE(root.first, i);
      EXPECT_TRUE(root.writes || !arguments[i].writes);
    }
  }
}

}  // namespace
}  // namespace taskmill::tmr
