// Random programs on a toy chip with rings of all sizes: results against the serial run, edges against the bytes that tasks
// really share. TASKMILL_SEEDS sets the number of programs.
#include <gtest/gtest.h>

#include <bitset>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/model.h"
#include "graph/play.h"
#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

constexpr uint32_t kMaxTasks = 512;
constexpr uint32_t kAtMostDoublings = 12;
#if defined(TASKMILL_SANITIZED) || !defined(__x86_64__)
constexpr uint32_t kDefaultSeeds = 300;
#else
constexpr uint32_t kDefaultSeeds = 2000;
#endif

uint32_t seed_count() {
  const char* text = std::getenv("TASKMILL_SEEDS");
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : kDefaultSeeds;
}

// What the seeds together have seen: a test that never meets a case proves nothing about it.
struct Histogram {
  uint64_t tasks = 0, read_after_write = 0, write_after_write = 0, write_after_read = 0;
  uint64_t edges = 0, pooled_edges = 0, extra_edges = 0, blocked = 0, scopes = 0;
  uint64_t slot_wraps = 0, line_wraps = 0, heap_wraps = 0;
  uint64_t deadlocks = 0, scope_deadlocks = 0, heap_deadlocks = 0, flow_deadlocks = 0;
  uint64_t views[ViewSpec::kKinds] = {}, by_address = 0, manual = 0, dependencies = 0, order_only = 0, allocations = 0, groups = 0;
  uint64_t ring_tasks[wire::kRings] = {};
  uint64_t wrong_results = 0, missing_orders = 0;  // programs

  void print(const char* name) const {
    std::printf(
        "%s: tasks %lu, RAW %lu, WAW %lu, WAR %lu; edges %lu (pool %lu, extra %lu); blocked %lu, scopes %lu (manual %lu); wraps: slots "
        "%lu, "
        "lines %lu, heap %lu; deadlocks proven %lu (scope %lu, heap %lu, flow %lu); wrong results %lu, missing orders %lu\n",
        name, tasks, read_after_write, write_after_write, write_after_read, edges, pooled_edges, extra_edges, blocked, scopes, manual,
        slot_wraps, line_wraps, heap_wraps, deadlocks, scope_deadlocks, heap_deadlocks, flow_deadlocks, wrong_results, missing_orders);
    std::printf(
        "  views: whole %lu, rows %lu, flat %lu, box %lu, steps %lu, permuted %lu, by address %lu; dependencies %lu, order only %lu, "
        "allocations %lu, groups %lu; tasks by ring %lu %lu %lu %lu\n",
        views[0], views[1], views[2], views[3], views[4], views[5], by_address, dependencies, order_only, allocations, groups,
        ring_tasks[0], ring_tasks[1], ring_tasks[2], ring_tasks[3]);
  }
};

// One program on one set of ring sizes.
class ProgramRun {
 public:
  ProgramRun(const Program& program, const Model& model, const wire::GraphSizes& sizes, uint64_t seed, const graph::HazardRules& rules)
      : program_(program), model_(model), entries_(make_entries()), chip_(sizes, entries_, seed), producers_(model.tasks().size()) {
    chip_.on_run = [this](uint32_t slot) { execute(slot); };
    chip_.on_edge = [this](uint32_t producer, uint32_t consumer) { note_edge(producer, consumer); };
    builder_.init(chip_.region, chip_, chip_.launch, rules);
    tensors_.assign(program.buffers.size(), Tensor{});
    for (uint32_t i = 0; i < program.entries; ++i) tensors_[i] = builder_.entry_tensor(i);
  }

  // False: ended by an error.
  bool run() {
    for (const Step& step : program_.steps) {
      if (step.kind == Step::kScopeBegin) {
        builder_.scope_begin("program", static_cast<uint32_t>(ids_.size()), step.manual ? ScopeMode::kManual : ScopeMode::kAuto);
        ++depth_;
      } else if (step.kind == Step::kScopeEnd) {
        builder_.scope_end();
        --depth_;
      } else {
        submit(step);
      }
      if (builder_.fatal()) {
        builder_.finish();
        return false;
      }
    }
    builder_.finish();
    chip_.run_all();
    EXPECT_EQ(chip_.order.size() + builder_.groups(), builder_.submitted());
    return chip_.order.size() + builder_.groups() == builder_.submitted();
  }

  bool results_are_right() const {
    if (wrong_digests_ != 0) return false;
    for (uint32_t i = 0; i < program_.entries; ++i) {
      const BufferSpec& buffer = program_.buffers[i];
      const auto* bytes = reinterpret_cast<const uint8_t*>(entries_[buffer.root].descriptor.buffer.addr);
      if (!std::equal(bytes, bytes + buffer.bytes(), model_.memory(buffer.root).begin())) return false;
    }
    return true;
  }

  // Every earlier task that shares bytes with a task, one of both writing, must have completed before it could start.
  bool order_is_complete() const {
    const std::vector<ModelTask>& tasks = model_.tasks();
    std::vector<std::bitset<kMaxTasks>> before(tasks.size());
    for (uint32_t c = 0; c < tasks.size(); ++c) {
      before[c] = completed_before_[c];
      for (uint32_t p = 0; p < c; ++p) {
        if (producers_[c].test(p)) before[c] |= before[p].set(p);
      }
      for (uint32_t p = 0; p < c; ++p) {
        if (!before[c].test(p) && tasks[c].after(tasks[p]).any()) return false;
      }
    }
    return true;
  }

  void add_to(Histogram& histogram) {
    const std::vector<ModelTask>& tasks = model_.tasks();
    for (uint32_t c = 0; c < tasks.size(); ++c) {
      for (uint32_t p = 0; p < c; ++p) {
        const Hazards hazards = tasks[c].after(tasks[p]);
        histogram.read_after_write += hazards.read_after_write;
        histogram.write_after_write += hazards.write_after_write;
        histogram.write_after_read += hazards.write_after_read;
        histogram.extra_edges += producers_[c].test(p) && !hazards.any() && !asks_for(*submits()[c], *submits()[p], p);
      }
      histogram.edges += producers_[c].count();
    }
    histogram.tasks += tasks.size();
    histogram.pooled_edges += chip_.pooled_edges;
    histogram.blocked += chip_.blocked;
    histogram.groups += builder_.groups();
    histogram.line_wraps += line_wraps_;
    histogram.heap_wraps += heap_wraps_;
    for (uint32_t ring = 0; ring < wire::kRings; ++ring) {
      histogram.ring_tasks[ring] += ring_tasks_[ring];
      histogram.slot_wraps += ring_tasks_[ring] / (builder_.use(ring).tasks.size + 1);
    }
    for (const Step& step : program_.steps) add_step(step, histogram);
  }

  void expect_peaks_within_sizes() const {
    for (uint32_t ring = 0; ring < wire::kRings; ++ring) {
      const wire::RingUse use = builder_.use(ring);
      for (const wire::RoomUse& room : {use.tasks, use.argument_lines, use.edge_nodes, use.heap_bytes}) EXPECT_LE(room.peak, room.size);
    }
  }
  // What the run says would have been enough for it.
  wire::GraphSizes enough() const {
    wire::GraphSizes sizes = chip_.launch.sizes;
    for (uint32_t ring = 0; ring < wire::kRings; ++ring) {
      const wire::RingUse use = builder_.use(ring);
      sizes.rings[ring] = {static_cast<uint32_t>(use.tasks.enough), static_cast<uint32_t>(use.argument_lines.enough),
                           static_cast<uint32_t>(use.edge_nodes.enough), 0, use.heap_bytes.enough};
    }
    return sizes;
  }

  const wire::RunError& error() const { return chip_.error; }

 private:
  std::vector<wire::EntryTensor> make_entries() {
    std::vector<wire::EntryTensor> entries;
    for (uint32_t i = 0; i < program_.entries; ++i) {
      const BufferSpec& buffer = program_.buffers[i];
      if (buffer.root == i) {
        memory_.push_back(std::make_unique<ToyMemory>(kMaxBufferBytes, kBufferAlignment));
        auto* bytes = reinterpret_cast<uint8_t*>(memory_.back()->base());
        for (uint32_t b = 0; b < kMaxBufferBytes; ++b) bytes[b] = Model::initial_byte(buffer.root, b);
      }
      entries.push_back({row_major(memory_[buffer.root]->base(), buffer.shape, buffer.dtype), buffer.bytes(), buffer.root, {}});
    }
    return entries;
  }

  // Edges through a group count as edges from each of its members.
  void note_edge(uint32_t producer, uint32_t consumer) {
    if (consumer == graph::kNoSlot) {
      members_[producer].reset();
      return;
    }
    std::bitset<kMaxTasks> producers;
    if (chip_.is_group(producer)) {
      producers = members_[producer];
    } else {
      producers.set(chip_.task_in(producer));
    }
    if (!chip_.is_group(consumer)) {
      producers_[chip_.task_in(consumer)] |= producers;
      return;
    }
    members_[consumer] |= producers;
  }

  static void add_step(const Step& step, Histogram& histogram) {
    histogram.scopes += step.kind == Step::kScopeBegin;
    histogram.manual += step.kind == Step::kScopeBegin && step.manual;
    histogram.allocations += step.kind == Step::kAllocate;
    histogram.order_only += step.order_only;
    histogram.dependencies += step.dependencies.size();
    for (const Use& use : step.uses) {
      if (use.mode == ArgumentMode::kOutput) continue;
      ++histogram.views[use.view.kind];
      histogram.by_address += use.view.by_address;
    }
  }

  void submit(const Step& step) {
    const Submission submission(program_, step, tensors_, ids_);
    SubmitResult made;
    builder_.submit(submission.args.spec(0, CoreType::kAiv, submission.kind()), made);
    std::bitset<kMaxTasks> completed = allocated_;
    for (const uint32_t task : chip_.order) completed.set(task);
    completed_before_.push_back(completed);
    if (step.kind == Step::kAllocate) allocated_.set(ids_.size());
    ids_.push_back(made.task_id);
    if (builder_.fatal()) return;
    const uint32_t ring = wire::ring_of_depth(depth_);
    EXPECT_EQ(made.task_id >> 32, ring);
    ++ring_tasks_[ring];
    note_place(made);
    submission.take_outputs(made.outputs, tensors_);
    chip_.run_some(chip_.random.below(3));
  }

  void note_place(const SubmitResult& made) {
    const uint32_t ring = static_cast<uint32_t>(made.task_id >> 32);
    const uint32_t line = chip_.region.slots[chip_.slot_of(made.task_id)].description().argument_line;
    line_wraps_ += line < last_line_[ring];
    last_line_[ring] = line;
    for (uint32_t i = 0; i < made.output_count; ++i) {
      heap_wraps_ += made.outputs[i].buffer.addr < last_buffer_[ring];
      last_buffer_[ring] = made.outputs[i].buffer.addr;
    }
  }

  // Runs a task from what its slot and lines say, as a core would.
  void execute(uint32_t slot) {
    const graph::TaskDescription& task = chip_.region.slots[slot].description();
    const wire::TensorSlot* arguments = chip_.region.tensor_slots(slot);
    const auto* scalars = reinterpret_cast<const uint64_t*>(arguments + task.tensor_count);
    const Step& step = *submits()[task.task];
    EXPECT_EQ(task.has_kernel(), !step.order_only);
    if (step.order_only) return;
    EXPECT_TRUE(std::equal(step.scalars.begin(), step.scalars.end(), scalars, scalars + task.scalar_count));
    std::vector<const TensorDescriptor*> tensors;
    for (uint32_t i = 0; i < task.tensor_count; ++i) {
      tensors.push_back(chip_.region.line_as<const TensorDescriptor>(arguments[i].line()));
      EXPECT_EQ(arguments[i].written(), writes(step.uses[i].mode));
    }
    wrong_digests_ += !play(step, model_.tasks()[task.task], tensors);
  }

  const std::vector<const Step*>& submits() {
    if (submits_.empty()) {
      for (const Step& step : program_.steps) {
        if (step.kind == Step::kSubmit || step.kind == Step::kAllocate) submits_.push_back(&step);
      }
    }
    return submits_;
  }

  const Program& program_;
  const Model& model_;
  std::vector<std::unique_ptr<ToyMemory>> memory_;
  std::vector<wire::EntryTensor> entries_;
  ToyChip chip_;
  graph::Builder<ToyChip> builder_;
  std::vector<Tensor> tensors_;
  std::vector<const Step*> submits_;
  std::vector<std::bitset<kMaxTasks>> producers_;         // direct edges
  std::map<uint32_t, std::bitset<kMaxTasks>> members_;    // of the group in a slot
  std::vector<std::bitset<kMaxTasks>> completed_before_;  // at the end of the task's submit
  uint32_t wrong_digests_ = 0;
  std::vector<uint64_t> ids_;         // of the submits
  std::bitset<kMaxTasks> allocated_;  // complete at once
  uint32_t depth_ = 0;
  uint64_t ring_tasks_[wire::kRings] = {};
  uint32_t last_line_[wire::kRings] = {};
  uint64_t last_buffer_[wire::kRings] = {};
  uint64_t line_wraps_ = 0;
  uint64_t heap_wraps_ = 0;
};

wire::GraphSizes random_sizes(Random& random) {
  wire::GraphSizes sizes;
  for (wire::RingSizes& ring : sizes.rings) {
    ring = {4u << random.below(4), graph::kMinArgumentLines << random.below(7), graph::kMinEdgeNodes << random.below(3), 0,
            kBufferAlignment << random.below(6)};
  }
  return sizes;
}

void count_deadlock(const wire::RunError& error, wire::GraphSizes& sizes, Histogram& histogram) {
  EXPECT_GT(error.needed, error.available);
  ++histogram.deadlocks;
  const auto code = static_cast<ErrorCode>(error.code);
  histogram.scope_deadlocks += code == ErrorCode::kScopeDeadlock;
  histogram.heap_deadlocks += code == ErrorCode::kHeapRingDeadlock;
  histogram.flow_deadlocks += code == ErrorCode::kFlowControlDeadlock;
  EXPECT_TRUE(code == ErrorCode::kScopeDeadlock || code == ErrorCode::kHeapRingDeadlock || code == ErrorCode::kFlowControlDeadlock)
      << "code " << error.code << ", reason " << static_cast<uint32_t>(error.reason);
  wire::RingSizes& ring = sizes.rings[error.ring];
  if (error.reason == wire::Reason::kRingSlots) ring.task_window *= 2;
  if (error.reason == wire::Reason::kRingArguments) ring.argument_lines *= 2;
  if (error.reason == wire::Reason::kRingHeap || error.reason == wire::Reason::kOutputTooLarge) ring.heap_bytes *= 2;
}

void expect_enough_is_enough(const Program& program, const Model& model, const wire::GraphSizes& sizes, uint64_t seed,
                             const graph::HazardRules& rules) {
  ProgramRun again(program, model, sizes, seed, rules);
  EXPECT_TRUE(again.run()) << "reason " << static_cast<uint32_t>(again.error().reason) << ", ring " << again.error().ring << ": needs "
                           << again.error().needed << " of " << again.error().available;
}

// Rings that are proven too small are doubled until the program runs.
void run_seed(uint64_t seed, Views views, const graph::HazardRules& rules, Histogram& histogram) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const Program program = ProgramGenerator(seed, views).make();
  const Model model(program);
  ASSERT_LE(model.tasks().size(), kMaxTasks);
  Random random(Random::mix(seed));
  wire::GraphSizes sizes = random_sizes(random);
  for (uint32_t attempt = 0; attempt < 16 * kAtMostDoublings; ++attempt) {
    ProgramRun run(program, model, sizes, random.next(), rules);
    if (run.run()) {
      run.add_to(histogram);
      run.expect_peaks_within_sizes();
      histogram.wrong_results += !run.results_are_right();
      histogram.missing_orders += !run.order_is_complete();
      expect_enough_is_enough(program, model, run.enough(), random.next(), rules);
      return;
    }
    count_deadlock(run.error(), sizes, histogram);
    if (::testing::Test::HasFailure()) return;
  }
  FAIL() << "still no room";
}

// Groups of one and more: the windows are small.
Histogram run_seeds(const char* name, Views views, const graph::HazardRules& rules = {.group_from = 1}) {
  Histogram histogram;
  for (uint64_t seed = 1; seed <= seed_count(); ++seed) run_seed(seed, views, rules, histogram);
  histogram.print(name);
  return histogram;
}

// Holds for the default seeds and more of them.
void expect_everything_was_seen(const Histogram& histogram) {
  if (seed_count() < kDefaultSeeds) return;
  for (const uint64_t count :
       {histogram.read_after_write, histogram.write_after_write, histogram.write_after_read, histogram.edges,
        histogram.pooled_edges,     histogram.blocked,           histogram.scopes,           histogram.slot_wraps,
        histogram.line_wraps,       histogram.heap_wraps,        histogram.scope_deadlocks,  histogram.heap_deadlocks,
        histogram.flow_deadlocks,   histogram.by_address,        histogram.manual,           histogram.groups,
        histogram.dependencies,     histogram.order_only,        histogram.allocations,      histogram.ring_tasks[0],
        histogram.ring_tasks[1],    histogram.ring_tasks[2],     histogram.ring_tasks[3]}) {
    EXPECT_GT(count, 0u);
  }
}

void expect_exact(const Histogram& histogram) {
  EXPECT_EQ(histogram.wrong_results, 0u);
  EXPECT_EQ(histogram.missing_orders, 0u);
  EXPECT_EQ(histogram.extra_edges, 0u);
  expect_everything_was_seen(histogram);
}

TEST(RandomPrograms, byte_intervals_give_the_serial_result_with_no_edge_missing_and_none_too_many) {
  expect_exact(run_seeds("intervals", Views::kIntervals));
}

TEST(RandomPrograms, boxes_and_steps_give_the_serial_result_with_no_edge_missing_and_none_too_many) {
  const Histogram histogram = run_seeds("boxes and steps", Views::kBoxes);
  expect_exact(histogram);
  EXPECT_GT(std::min(histogram.views[ViewSpec::kBox], histogram.views[ViewSpec::kSteps]), 0u);
}

TEST(RandomPrograms, views_of_every_kind_give_the_serial_result_with_no_edge_missing) {
  const Histogram histogram = run_seeds("all views", Views::kAll);
  EXPECT_EQ(histogram.wrong_results, 0u);
  EXPECT_EQ(histogram.missing_orders, 0u);
  EXPECT_LE(histogram.extra_edges * 1000, histogram.edges) << "flat intervals against steps may be taken for overlapping";
  expect_everything_was_seen(histogram);
  for (const uint64_t count : histogram.views) EXPECT_GT(count, 0u);
}

void expect_faults(const char* name, const graph::HazardRules& rules) {
  const Histogram histogram = run_seeds(name, Views::kIntervals, rules);
  EXPECT_GE(histogram.wrong_results * 100, seed_count());
  EXPECT_GE(histogram.missing_orders * 100, seed_count());
}

TEST(RandomPrograms, without_read_after_write_edges_the_property_fails) { expect_faults("no RAW", {.read_after_write = false}); }
TEST(RandomPrograms, without_write_after_write_edges_the_property_fails) { expect_faults("no WAW", {.write_after_write = false}); }
TEST(RandomPrograms, without_write_after_read_edges_the_property_fails) { expect_faults("no WAR", {.write_after_read = false}); }

}  // namespace
}  // namespace taskmill::test
