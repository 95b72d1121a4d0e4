// Opening devices, by options and by platform name; and parts of the simulator that have a promise of their own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "driver/null/null_device.h"
#include "driver/sim/device_memory.h"
#include "driver/sim/sim_device.h"
#include "driver/sim/stream.h"
#include "driver/sim/unit_board.h"
#include "driver/sim/views.h"

namespace taskmill {
namespace {

TEST(OpenDevice, gives_the_chip_that_the_platform_names) {
  for (const auto& [platform, clusters] : std::map<std::string, uint32_t>{{"a2a3sim", 24}, {"a5sim", 36}}) {
    const auto device = open_sim_device(platform);
    ASSERT_TRUE(device) << device.error().message;
    const DeviceInfo& info = (*device)->info();
    EXPECT_EQ(info.platform, platform);
    EXPECT_EQ(info.clusters, clusters);
    EXPECT_EQ(info.cores, 3 * clusters);
    EXPECT_TRUE(info.runs_programs && info.timestamps);
    EXPECT_GT(info.memory_bytes, uint64_t{1} << 30);
  }
}

TEST(OpenDevice, refuses_what_there_is_not) {
  for (const auto& device : {open_sim_device("a9sim"), open_sim_device("a2a3"), open_sim_device(""), open_null_device("a2a3sim")}) {
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(device.error().message.find("is unknown: there are a2a3"), std::string::npos) << device.error().message;
  }
  const auto too_big = open_sim_device({.clusters = 25});
  ASSERT_FALSE(too_big);
  EXPECT_EQ(too_big.error().message, "25 clusters: a2a3 has 24");
}

TEST(OpenDevice, takes_the_executor_from_the_environment) {
  setenv("TASKMILL_SIM_EXECUTOR", "seeded", 1);
  setenv("TASKMILL_SIM_SEED", "77", 1);
  const auto seeded = open_sim_device("a2a3sim");
  const uint32_t threads = seeded ? (*seeded)->statistics().threads : 1;
  setenv("TASKMILL_SIM_EXECUTOR", "fast", 1);
  const auto refused = open_sim_device("a2a3sim");
  unsetenv("TASKMILL_SIM_EXECUTOR");
  unsetenv("TASKMILL_SIM_SEED");
  EXPECT_EQ(threads, 0u) << "the seeded executor starts threads with its first run";
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("pool or seeded is expected"), std::string::npos);
}

TEST(DeviceMemory, hands_out_disjoint_ranges_whatever_the_order) {
  constexpr uint64_t kCapacity = uint64_t{64} << 20;
  const auto memory = *sim::DeviceMemory::reserve(kCapacity);
  std::map<DeviceAddress, uint64_t> live;
  uint64_t live_bytes = 0;
  std::mt19937_64 random(20260101);
  for (int step = 0; step < 5000; ++step) {
    if (live.empty() || random() % 5 < 3) {
      const uint64_t bytes = 1 + random() % (random() % 20 == 0 ? uint64_t{9} << 20 : 50'000);
      const auto address = memory->allocate(bytes);
      EXPECT_EQ(address.has_value(), live_bytes + bytes <= kCapacity)
          << "step " << step << ": " << bytes << " bytes, " << live_bytes << " live";
      if (!address) continue;
      const auto next = live.lower_bound(*address);
      EXPECT_TRUE(next == live.end() || *address + bytes <= next->first);
      EXPECT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= *address);
      reinterpret_cast<volatile uint8_t*>(*address)[0] = 1;
      reinterpret_cast<volatile uint8_t*>(*address)[bytes - 1] = 1;
      live.emplace(*address, bytes);
      live_bytes += bytes;
      continue;
    }
    const auto victim = std::next(live.begin(), static_cast<long>(random() % live.size()));
    EXPECT_TRUE(memory->release(victim->first));
    live_bytes -= victim->second;
    live.erase(victim);
  }
}

TEST(DeviceMemory, an_address_of_one_device_is_no_host_address_for_another) {
  const auto one = *sim::DeviceMemory::reserve(1 << 20);
  const auto two = *sim::DeviceMemory::reserve(1 << 20);
  const DeviceAddress a = *one->allocate(64);
  const DeviceAddress b = *two->allocate(64);
  const auto refused = one->check_copy({a, b, 8, CopyKind::kHostToDevice});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotADeviceAddress);
}

TEST(UnitBoard, a_unit_queued_while_it_runs_runs_again) {
  sim::UnitBoard board;
  EXPECT_TRUE(board.queue(17));
  EXPECT_FALSE(board.queue(17)) << "queued already";
  EXPECT_EQ(board.waiting(), 1u);
  EXPECT_EQ(board.take(0), sim::UnitBoard::kNone);
  EXPECT_EQ(board.take(1), 17u);
  EXPECT_EQ(board.waiting(), 0u);
  EXPECT_FALSE(board.queue(17)) << "who runs it looks again";
  EXPECT_EQ(board.take(1), sim::UnitBoard::kNone) << "it runs";
  EXPECT_FALSE(board.release(17));
  EXPECT_EQ(board.take(1), 17u);
  EXPECT_FALSE(board.release(17));
  EXPECT_EQ(board.waiting(), 0u);
}

TEST(UnitBoard, a_dead_unit_is_taken_no_more_and_killed_once) {
  sim::UnitBoard board;
  board.queue(3);
  board.queue(4);
  EXPECT_FALSE(board.kill(3)) << "it did not run";
  EXPECT_EQ(board.take(0), 4u);
  EXPECT_TRUE(board.kill(4)) << "it ran";
  EXPECT_FALSE(board.kill(4)) << "somebody else killed it";
  EXPECT_TRUE(board.release(4));
  board.queue(4);
  EXPECT_EQ(board.take(0), sim::UnitBoard::kNone);
}

TEST(Event, a_record_is_complete_by_itself_not_by_a_newer_one) {
  sim::Event event;
  const uint64_t first = event.begin_record();
  const uint64_t second = event.begin_record();
  event.complete(second, 20);
  EXPECT_TRUE(event.is_complete(second));
  EXPECT_FALSE(event.is_complete(first));
  event.complete(first, 30);
  EXPECT_TRUE(event.is_complete(first));
  EXPECT_EQ(event.timestamp(), 20u) << "of the newest record";
}

TEST(Event, a_record_that_is_destroyed_unrun_keeps_nobody_waiting) {
  const auto event = std::make_shared<sim::Event>();
  const uint64_t number = [&] {
    const sim::PendingRecord record(event);
    EXPECT_FALSE(event->is_complete(event->newest()));
    return event->newest();
  }();
  EXPECT_TRUE(event->is_complete(number));
  EXPECT_FALSE(event->timestamp()) << "it completed at no time";
}

TEST(Views, move_whole_lines_and_start_poisoned) {
  alignas(64) uint8_t home[256] = {};
  sim::Views views(reinterpret_cast<uint64_t>(home), sizeof home, 3);
  const auto at = [&](uint32_t viewer, uint64_t offset) { return reinterpret_cast<uint8_t*>(views.base(viewer) + offset); };
  for (uint32_t viewer = 0; viewer < 3; ++viewer) EXPECT_EQ(*at(viewer, 200), sim::Views::kPoison);
  *at(1, 100) = 7;
  views.write_back(1, at(1, 100), 1);
  EXPECT_EQ(home[100], 7);
  EXPECT_EQ(home[64], sim::Views::kPoison) << "the line went as a whole";
  EXPECT_EQ(home[63], 0);
  EXPECT_EQ(*at(2, 100), sim::Views::kPoison) << "nobody sees it unasked";
  views.fetch(2, at(2, 100), 1);
  EXPECT_EQ(*at(2, 100), 7);
  uint8_t elsewhere = 3;
  views.fetch(2, &elsewhere, 1);
  EXPECT_EQ(elsewhere, 3) << "memory outside the region is coherent";
}

}  // namespace
}  // namespace taskmill
