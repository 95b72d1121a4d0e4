// Where many tasks would each follow the same many, a group stands between them. The first one of them pays an edge for each,
// and so does the group that the second one forms; from then on it is one edge per task.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "graph/access_index.h"
#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

constexpr uint32_t kRows = 128, kColumns = 32;
const ToySizes kRoom = {.window = 1024, .argument_lines = 8192, .edge_nodes = 1024};

using PartOf = std::function<Tensor(const Tensor& matrix)>;
Tensor all_of(const Tensor& matrix) { return matrix; }
Tensor first_rows(const Tensor& matrix) { return matrix.slice(0, 0, 100); }
// No interval says which bytes.
Tensor first_columns(const Tensor& matrix) { return matrix.slice(1, 0, 8); }
Tensor row(const Tensor& matrix, uint32_t index) { return matrix.slice(0, index, index + 1); }

class GroupRun : public ToyRun {
 public:
  explicit GroupRun(const graph::HazardRules& rules = {}) : ToyRun(kRoom, {kRows * kColumns}, 1, rules), edges(chip) {
    const uint32_t shape[] = {kRows, kColumns};
    matrix = entry(0).reshape(shape, 2);
  }
  void write_rows(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) submit(TaskArgs().add_output(row(matrix, i)));
  }
  void read(const PartOf& part, uint32_t times) {
    const Tensor view = part(matrix);
    for (uint32_t i = 0; i < times; ++i) submit(TaskArgs().add_input(view));
  }
  size_t all_edges() {
    chip.run_all();
    return edges.all.size();
  }
  // As tasks: through groups.
  std::set<uint32_t> producers_of(uint32_t task) const {
    std::set<uint32_t> producers;
    for (const uint32_t slot : edges.into(task)) {
      if (!chip.is_group(slot)) {
        producers.insert(slot);
      } else {
        producers.merge(edges.into(slot));
      }
    }
    return producers;
  }

  Edges edges;
  Tensor matrix;
};

std::set<uint32_t> numbers(uint32_t begin, uint32_t end) {
  std::set<uint32_t> all;
  for (uint32_t i = begin; i < end; ++i) all.insert(i);
  return all;
}

std::set<uint32_t> with(std::set<uint32_t> all, uint32_t one) {
  all.insert(one);
  return all;
}

class EachPart : public testing::TestWithParam<PartOf> {};
INSTANTIATE_TEST_SUITE_P(Group, EachPart, testing::Values(all_of, first_rows, first_columns), [](const auto& info) {
  return std::string(info.index == 0 ? "whole" : info.index == 1 ? "slice" : "columns");
});

TEST_P(EachPart, readers_after_writers_of_tiles_cost_the_sum_of_edges_not_the_product) {
  GroupRun run;
  run.write_rows(100);
  run.read(GetParam(), 200);
  EXPECT_EQ(run.builder.groups(), 1u);
  EXPECT_EQ(run.all_edges(), 100u + 100u + 199u);
  EXPECT_EQ(run.chip.order.size(), 300u);
  for (const uint32_t reader : {100, 101, 299}) EXPECT_EQ(run.producers_of(reader), numbers(0, 100)) << reader;
}

TEST_P(EachPart, writers_of_tiles_after_readers_cost_the_sum_of_edges_not_the_product) {
  GroupRun run;
  run.read(GetParam(), 200);
  run.write_rows(100);
  EXPECT_EQ(run.builder.groups(), 1u);
  EXPECT_EQ(run.all_edges(), 200u + 200u + 99u);
  EXPECT_EQ(run.chip.order.size(), 300u);
  for (const uint32_t writer : {200, 201, 299}) EXPECT_EQ(run.producers_of(writer), numbers(0, 200)) << writer;
}

TEST_P(EachPart, one_reader_after_many_writers_needs_none) {
  GroupRun run;
  run.write_rows(100);
  run.read(GetParam(), 1);
  EXPECT_EQ(run.builder.groups(), 0u);
  EXPECT_EQ(run.all_edges(), 100u);
}

TEST_P(EachPart, few_producers_need_none) {
  GroupRun run;
  run.write_rows(15);
  run.read(GetParam(), 15);
  run.write_rows(1);
  EXPECT_EQ(run.builder.groups(), 0u);
}

TEST_P(EachPart, a_reader_of_one_tile_follows_its_writer_only) {
  GroupRun run;
  run.write_rows(20);
  run.read(GetParam(), 2);
  run.read([](const Tensor& matrix) { return row(matrix, 1); }, 1);
  EXPECT_EQ(run.builder.groups(), 1u);
  run.chip.run_all();
  EXPECT_EQ(run.edges.into(22), (std::set<uint32_t>{1}));
}

TEST_P(EachPart, a_writer_after_the_group_is_seen_by_the_next_reader) {
  GroupRun run;
  run.write_rows(20);
  run.read(GetParam(), 2);                                 // 20, 21
  run.submit(TaskArgs().add_output(row(run.matrix, 40)));  // 22
  run.read(GetParam(), 1);                                 // 23
  run.chip.run_all();
  EXPECT_EQ(run.producers_of(23), with(numbers(0, 20), 22));
}

TEST_P(EachPart, once_its_members_are_done_nobody_waits_for_a_group) {
  GroupRun run;
  run.write_rows(20);
  run.read(GetParam(), 2);
  run.chip.run_all();
  run.read(GetParam(), 1);
  EXPECT_EQ(run.chip.ready_count(), 1u);
}

TEST_P(EachPart, a_write_of_the_whole_ends_what_groups_stand_for) {
  GroupRun run;
  run.write_rows(20);
  run.read(GetParam(), 2);                        // 20, 21
  run.submit(TaskArgs().add_output(run.matrix));  // 22
  run.read(GetParam(), 1);                        // 23
  run.chip.run_all();
  EXPECT_EQ(run.edges.into(23), (std::set<uint32_t>{22}));
}

TEST(Group, a_writer_elsewhere_leaves_the_group_of_a_slice_alone) {
  GroupRun run;
  run.write_rows(20);
  run.read(first_rows, 2);
  run.submit(TaskArgs().add_output(row(run.matrix, 120)));
  run.read(first_rows, 1);
  EXPECT_EQ(run.builder.groups(), 1u);
  run.chip.run_all();
  EXPECT_EQ(run.edges.into(23).size(), 1u);
  EXPECT_EQ(run.producers_of(23), numbers(0, 20));
}

TEST(Group, readers_of_several_slices_by_turns_form_one_each) {
  GroupRun run;
  const auto rows = [&](uint32_t count) { return run.matrix.slice(0, 0, count); };
  run.write_rows(100);
  for (uint32_t i = 0; i < 60; ++i) run.submit(TaskArgs().add_input(rows(40 + 20 * (i % 3))));
  EXPECT_EQ(run.builder.groups(), 3u);
  run.write_rows(30);
  EXPECT_EQ(run.builder.groups(), 6u);
  EXPECT_LT(run.all_edges(), 2 * (40u + 60u + 80u) + 57u + 4 * (60u + 30u) + 30u);
  EXPECT_EQ(run.producers_of(189), with(numbers(100, 160), 29));
}

TEST(Group, readers_of_many_prefixes_by_turns_form_one_each) {
  GroupRun run;
  for (uint32_t i = 0; i < 9 * 20; ++i) run.submit(TaskArgs().add_input(run.matrix.slice(0, 0, 100 + i % 9)));
  run.write_rows(100);
  EXPECT_EQ(run.builder.groups(), 9u);
  EXPECT_LT(run.all_edges(), 9u * 180 + 9u * 20 + 9u * 100);
}

TEST(Group, writers_elsewhere_do_not_make_the_readers_of_a_slice_forgotten) {
  GroupRun run;
  run.read(first_rows, 100);
  for (uint32_t i = 0; i < 25; ++i) {
    run.submit(TaskArgs().add_output(row(run.matrix, i)));
    run.submit(TaskArgs().add_output(row(run.matrix, 100 + i)));
  }
  EXPECT_EQ(run.builder.groups(), 1u);
  EXPECT_EQ(run.all_edges(), 100u + 100u + 24u);
}

TEST(Group, writers_of_other_columns_leave_the_group_of_some_columns_alone) {
  GroupRun run;
  for (uint32_t i = 0; i < 20; ++i) run.submit(TaskArgs().add_output(row(run.matrix, i).slice(1, 0, 8)));
  for (uint32_t i = 0; i < 50; ++i) {
    run.read(first_columns, 1);
    run.submit(TaskArgs().add_output(row(run.matrix, i).slice(1, 8, 16)));
  }
  EXPECT_EQ(run.builder.groups(), 1u);
  EXPECT_EQ(run.all_edges(), 20u + 20u + 49u);
}

TEST(Group, readers_that_a_covering_write_implies_need_none) {
  GroupRun run;
  run.read(first_rows, 100);
  for (uint32_t i = 0; i < 10; ++i) run.submit(TaskArgs().add_inout(row(run.matrix, 0)));
  EXPECT_EQ(run.builder.groups(), 0u);
  EXPECT_EQ(run.all_edges(), 100u + 9u);
}

// The index alone: tasks of one ring, a line each from kFirstLine on, nobody completes unless told.
class IndexOfThree {
 public:
  static constexpr uint32_t kFirstLine = 8, kGroupLine = 32;

  IndexOfThree() : lines_(64), slots_(128), index_(region_, rings_, rules_) {
    region_.lines = lines_.data();
    region_.slots = slots_.data();
    rings_.at(0).init(0, 0, 64);
    rings_.at(graph::kGroupRing).init(graph::kGroupRing, 64, 64);
    graph::RootRecord root = {};
    root.bytes = 96;
    *region_.line_as<graph::RootRecord>(0) = root;
  }
  graph::Access access(uint8_t use, uint64_t begin, uint64_t end) const {
    graph::Access access = {};
    access.use = use;
    access.ordered = access.tracked = access.follows_writers = true;
    access.follows_readers = (use & graph::kWrites) != 0;
    access.footprint = {begin, end, true};
    return access;
  }
  graph::TaskRef submit(const graph::Access& access) {
    const graph::TaskRef task = allocate(0);
    uint32_t edges = 0;
    EXPECT_TRUE(index_.conflicts(access, [&](graph::TaskRef) { return ++edges, graph::Link::kPending; }));
    index_.note_edges(access, task, edges);
    index_.record(access, task, kFirstLine + rings_.slot(task));
    return task;
  }
  void complete(graph::TaskRef task) { slots_[rings_.slot(task)].mark_done(); }
  graph::WantedGroup wanted(const graph::Access& access) { return index_.wanted_group(access); }
  const graph::AccessRecord& form(const graph::WantedGroup& wanted, const graph::Access& access) {
    const auto link = [this](graph::TaskRef task) {
      return slots_[rings_.slot(task)].done() ? graph::Link::kCompleted : graph::Link::kPending;
    };
    EXPECT_TRUE(index_.form_group(wanted, access, allocate(graph::kGroupRing), kGroupLine, link));
    return *region_.line_as<graph::AccessRecord>(kGroupLine);
  }

 private:
  graph::TaskRef allocate(uint32_t ring) {
    const graph::TaskRef task = rings_.at(ring).allocate();
    graph::TaskDescription description = {};
    description.task = places_++;
    slots_[rings_.slot(task)].allocate(description);
    return task;
  }

  std::vector<graph::Line> lines_;
  std::vector<graph::TaskSlot> slots_;
  graph::GraphRegion region_;
  graph::TaskRings rings_;
  graph::HazardRules rules_ = {.group_from = 2};
  graph::AccessIndex index_;
  uint32_t places_ = 0;
};

TEST(Group, members_may_complete_while_it_is_formed) {
  IndexOfThree run;
  const graph::TaskRef first = run.submit(run.access(graph::kReads, 0, 10)), second = run.submit(run.access(graph::kReads, 0, 10));
  run.submit(run.access(graph::kWrites, 0, 4));
  const graph::Access write = run.access(graph::kWrites, 4, 8);
  const graph::WantedGroup wanted = run.wanted(write);
  ASSERT_EQ(wanted.kind, graph::Group::kPartReaders);
  run.complete(first);
  run.complete(second);
  const graph::AccessRecord& record = run.form(wanted, write);
  EXPECT_EQ(record.begin, 0u);
  EXPECT_EQ(record.end, 10u);
  EXPECT_EQ(record.use, graph::kReads | graph::kOrdered);
}

TEST(Group, nobody_wants_one_once_the_task_that_followed_many_is_done) {
  IndexOfThree run;
  for (uint32_t i = 0; i < 2; ++i) run.submit(run.access(graph::kReads, 0, 10));
  const graph::TaskRef follower = run.submit(run.access(graph::kWrites, 0, 4));
  const graph::Access write = run.access(graph::kWrites, 4, 8);
  ASSERT_EQ(run.wanted(write).kind, graph::Group::kPartReaders);
  run.complete(follower);
  EXPECT_EQ(run.wanted(write).kind, graph::Group::kNone);
}

TEST(Group, views_of_one_interval_that_touch_other_bytes_are_no_members) {
  GroupRun run;
  const Tensor eight = run.matrix.slice(1, 0, 8), outer_two = run.matrix.slice(1, 0, 8, 7);
  const auto write_second_column = [&](uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) run.submit(TaskArgs().add_output(row(run.matrix, i).slice(1, 1, 2)));
  };
  write_second_column(20);
  for (uint32_t i = 0; i < 20; ++i) run.submit(TaskArgs().add_input(eight));
  for (uint32_t i = 0; i < 20; ++i) run.submit(TaskArgs().add_input(outer_two));
  write_second_column(3);
  EXPECT_EQ(run.builder.groups(), 2u);
  run.chip.run_all();
  EXPECT_EQ(run.edges.into(40), std::set<uint32_t>{}) << "a reader of the two outer columns";
  for (const uint32_t writer : {61, 62}) {
    std::set<uint32_t> producers = run.producers_of(writer);
    producers.erase(writer - 60);
    EXPECT_EQ(producers, numbers(20, 40)) << writer;
  }
}

TEST(Group, without_a_slot_for_one_tasks_are_linked_one_by_one) {
  constexpr uint32_t kFans = 70, kParts = 16;
  ToyRun run({.window = 1u << 12, .argument_lines = 1u << 14, .edge_nodes = 1u << 12}, std::vector<uint32_t>(kFans, kParts));
  for (uint32_t fan = 0; fan < kFans; ++fan) {
    for (uint32_t i = 0; i < kParts; ++i) run.submit(TaskArgs().add_inout(run.entry(fan).rows(i)));
    for (uint32_t i = 0; i < 2; ++i) run.submit(TaskArgs().add_input(run.entry(fan)));
  }
  EXPECT_EQ(run.chip.blocked, 0u);
  EXPECT_EQ(run.builder.groups(), graph::kGroupWindow - 1);
  Edges edges(run.chip);
  run.chip.run_all();
  EXPECT_EQ(edges.into(kParts + 1).size(), 1u);
  EXPECT_EQ(edges.into(kFans * (kParts + 2) - 1).size(), kParts);
}

}  // namespace
}  // namespace taskmill::test
