// Random programs on a toy chip with rings of all sizes: results against the serial run, edges against the bytes that tasks
// really share. TASKMILL_SEEDS sets the number of programs.
#include <gtest/gtest.h>

#include <bitset>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "graph/model.h"
#include "graph/toy_chip.h"

namespace taskmill::test {
namespace {

constexpr uint32_t kMaxTasks = 512;
constexpr uint32_t kAtMostDoublings = 12;
constexpr uint32_t kDefaultSeeds = 300;

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
  uint64_t wrong_results = 0, missing_orders = 0;  // programs

  void print(const char* name) const {
    std::printf(
        "%s: tasks %lu, RAW %lu, WAW %lu, WAR %lu; edges %lu (pool %lu, extra %lu); blocked %lu, scopes %lu; wraps: slots %lu, lines %lu, "
        "heap %lu; deadlocks proven %lu (scope %lu, heap %lu, flow %lu); wrong results %lu, missing orders %lu\n",
        name, tasks, read_after_write, write_after_write, write_after_read, edges, pooled_edges, extra_edges, blocked, scopes, slot_wraps,
        line_wraps, heap_wraps, deadlocks, scope_deadlocks, heap_deadlocks, flow_deadlocks, wrong_results, missing_orders);
  }
};

// One program on one set of ring sizes.
template <class Policy>
class ProgramRun {
 public:
  ProgramRun(const Program& program, const Model& model, const ToySizes& sizes, uint64_t seed)
      : program_(program), model_(model), entries_(make_entries()), chip_(sizes, entries_, seed), producers_(model.tasks().size()) {
    chip_.on_run = [this](uint32_t slot) { execute(slot); };
    chip_.on_edge = [this](graph::TaskRef producer, graph::TaskRef consumer) { producers_[consumer].set(producer); };
    builder_.init(chip_.region, chip_, chip_.launch);
    tensors_.assign(program.buffers.size(), Tensor{});
    for (uint32_t i = 0; i < program.entries; ++i) tensors_[i] = builder_.entry_tensor(i);
  }

  // False: ended by an error.
  bool run() {
    for (const Step& step : program_.steps) {
      if (step.kind == Step::kScopeBegin) builder_.scope_begin("program", static_cast<uint32_t>(completed_before_.size()));
      if (step.kind == Step::kScopeEnd) builder_.scope_end();
      if (step.kind == Step::kSubmit) submit(step);
      if (builder_.fatal()) {
        builder_.finish();
        return false;
      }
    }
    builder_.finish();
    chip_.run_all();
    EXPECT_EQ(chip_.order.size(), model_.tasks().size());
    return chip_.order.size() == model_.tasks().size();
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

  void add_to(Histogram& histogram) const {
    const std::vector<ModelTask>& tasks = model_.tasks();
    for (uint32_t c = 0; c < tasks.size(); ++c) {
      for (uint32_t p = 0; p < c; ++p) {
        const Hazards hazards = tasks[c].after(tasks[p]);
        histogram.read_after_write += hazards.read_after_write;
        histogram.write_after_write += hazards.write_after_write;
        histogram.write_after_read += hazards.write_after_read;
        histogram.extra_edges += producers_[c].test(p) && !hazards.any();
      }
      histogram.edges += producers_[c].count();
    }
    histogram.tasks += tasks.size();
    histogram.pooled_edges += chip_.pooled_edges;
    histogram.blocked += chip_.blocked;
    histogram.slot_wraps += tasks.size() / (builder_.peak().tasks_size + 1);
    histogram.line_wraps += line_wraps_;
    histogram.heap_wraps += heap_wraps_;
    for (const Step& step : program_.steps) histogram.scopes += step.kind == Step::kScopeBegin;
  }

  void expect_peaks_within_sizes() const {
    const wire::PeakUse peak = builder_.peak();
    EXPECT_LE(peak.tasks, peak.tasks_size);
    EXPECT_LE(peak.argument_lines, peak.argument_lines_size);
    EXPECT_LE(peak.edge_nodes, peak.edge_nodes_size);
    EXPECT_LE(peak.heap_bytes, peak.heap_bytes_size);
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

  void submit(const Step& step) {
    std::vector<Tensor> views;
    std::vector<TensorSpec> specs;
    views.reserve(step.uses.size());
    specs.reserve(step.uses.size());
    TaskArgs args;
    for (const Use& use : step.uses) add(use, args, views, specs);
    for (const uint64_t scalar : step.scalars) args.add_scalar(scalar);
    SubmitResult made;
    builder_.submit(args.spec(0, CoreType::kAiv), made);
    std::bitset<kMaxTasks> completed;
    for (const graph::TaskRef task : chip_.order) completed.set(task);
    completed_before_.push_back(completed);
    if (builder_.fatal()) return;
    note_place(made);
    uint32_t output = 0;
    for (const Use& use : step.uses) {
      if (use.mode == ArgumentMode::kOutput) tensors_[use.buffer] = made.outputs[output++];
    }
    chip_.run_some(chip_.random.below(3));
  }

  void add(const Use& use, TaskArgs& args, std::vector<Tensor>& views, std::vector<TensorSpec>& specs) {
    const BufferSpec& buffer = program_.buffers[use.buffer];
    if (use.mode == ArgumentMode::kOutput) {
      specs.emplace_back(buffer.shape.data(), static_cast<uint32_t>(buffer.shape.size()), buffer.dtype);
      args.add_output(specs.back());
      return;
    }
    views.push_back(use.view.apply(tensors_[use.buffer]));
    if (use.mode == ArgumentMode::kInput) args.add_input(views.back());
    if (use.mode == ArgumentMode::kInout) args.add_inout(views.back());
    if (use.mode == ArgumentMode::kOutputExisting) args.add_output(views.back());
  }

  void note_place(const SubmitResult& made) {
    const uint32_t slot = static_cast<uint32_t>(made.task_id) & builder_.peak().tasks_size;
    const uint32_t line = chip_.region.slots[slot].description().argument_line;
    line_wraps_ += line < last_line_;
    last_line_ = line;
    for (uint32_t i = 0; i < made.output_count; ++i) {
      heap_wraps_ += made.outputs[i].buffer.addr < last_buffer_;
      last_buffer_ = made.outputs[i].buffer.addr;
    }
  }

  // Runs a task from what its slot and lines say, as a core would.
  void execute(uint32_t slot) {
    const graph::TaskDescription& task = chip_.region.slots[slot].description();
    const wire::TensorSlot* arguments = chip_.region.tensor_slots(slot);
    const auto* scalars = reinterpret_cast<const uint64_t*>(arguments + task.tensor_count);
    ToyKernel kernel(std::vector<uint64_t>(scalars, scalars + task.scalar_count));
    const Step& step = *submits()[task.task];
    for (uint32_t i = 0; i < task.tensor_count; ++i) {
      if (!reads(step.uses[i].mode)) continue;
      for_each_byte(arguments[i].line(), [&](uint8_t& byte) { kernel.read(byte); });
    }
    wrong_digests_ += kernel.finish_reading() != model_.tasks()[task.task].digest;
    for (uint32_t i = 0; i < task.tensor_count; ++i) {
      uint32_t index = 0;
      if (arguments[i].written()) for_each_byte(arguments[i].line(), [&](uint8_t& byte) { byte = kernel.write(i, index++); });
    }
  }

  template <class Visit>
  void for_each_byte(uint32_t line, Visit&& visit) const {
    const auto& view = *chip_.region.line_as<const TensorDescriptor>(line);
    const uint64_t size = element_bytes(view.dtype);
    for (uint64_t i = 0; i < view.numel(); ++i) {
      uint64_t element = view.start_offset;
      for (uint64_t d = view.ndims, rest = i; d-- > 0; rest /= view.shapes[d]) element += rest % view.shapes[d] * view.strides[d];
      for (uint64_t b = 0; b < size; ++b) visit(*reinterpret_cast<uint8_t*>(view.buffer.addr + element * size + b));
    }
  }

  const std::vector<const Step*>& submits() {
    if (submits_.empty()) {
      for (const Step& step : program_.steps) {
        if (step.kind == Step::kSubmit) submits_.push_back(&step);
      }
    }
    return submits_;
  }

  const Program& program_;
  const Model& model_;
  std::vector<std::unique_ptr<ToyMemory>> memory_;
  std::vector<wire::EntryTensor> entries_;
  ToyChip chip_;
  graph::Builder<ToyChip, Policy> builder_;
  std::vector<Tensor> tensors_;
  std::vector<const Step*> submits_;
  std::vector<std::bitset<kMaxTasks>> producers_;         // direct edges
  std::vector<std::bitset<kMaxTasks>> completed_before_;  // at the end of the task's submit
  uint32_t wrong_digests_ = 0;
  uint32_t last_line_ = 0;
  uint64_t last_buffer_ = 0;
  uint64_t line_wraps_ = 0;
  uint64_t heap_wraps_ = 0;
};

ToySizes random_sizes(Random& random) {
  return {.window = 4u << random.below(4),
          .argument_lines = graph::kMinArgumentLines << random.below(7),
          .edge_nodes = graph::kMinEdgeNodes << random.below(3),
          .heap_bytes = kBufferAlignment << random.below(6)};
}

void count_deadlock(const wire::RunError& error, ToySizes& sizes, Histogram& histogram) {
  EXPECT_GT(error.needed, error.available);
  ++histogram.deadlocks;
  const auto code = static_cast<ErrorCode>(error.code);
  histogram.scope_deadlocks += code == ErrorCode::kScopeDeadlock;
  histogram.heap_deadlocks += code == ErrorCode::kHeapRingDeadlock;
  histogram.flow_deadlocks += code == ErrorCode::kFlowControlDeadlock;
  EXPECT_TRUE(code == ErrorCode::kScopeDeadlock || code == ErrorCode::kHeapRingDeadlock || code == ErrorCode::kFlowControlDeadlock)
      << "code " << error.code << ", reason " << static_cast<uint32_t>(error.reason);
  if (error.reason == wire::Reason::kRingSlots) sizes.window *= 2;
  if (error.reason == wire::Reason::kRingArguments) sizes.argument_lines *= 2;
  if (error.reason == wire::Reason::kRingHeap || error.reason == wire::Reason::kOutputTooLarge) sizes.heap_bytes *= 2;
}

// Rings that are proven too small are doubled until the program runs.
template <class Policy>
void run_seed(uint64_t seed, bool contiguous, Histogram& histogram) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const Program program = ProgramGenerator(seed, contiguous).make();
  const Model model(program);
  ASSERT_LE(model.tasks().size(), kMaxTasks);
  Random random(Random::mix(seed));
  ToySizes sizes = random_sizes(random);
  for (uint32_t attempt = 0; attempt < 4 * kAtMostDoublings; ++attempt) {
    ProgramRun<Policy> run(program, model, sizes, random.next());
    if (run.run()) {
      run.add_to(histogram);
      run.expect_peaks_within_sizes();
      histogram.wrong_results += !run.results_are_right();
      histogram.missing_orders += !run.order_is_complete();
      return;
    }
    count_deadlock(run.error(), sizes, histogram);
    if (::testing::Test::HasFailure()) return;
  }
  FAIL() << "still no room";
}

template <class Policy>
Histogram run_seeds(const char* name, bool contiguous) {
  Histogram histogram;
  for (uint64_t seed = 1; seed <= seed_count(); ++seed) run_seed<Policy>(seed, contiguous, histogram);
  histogram.print(name);
  return histogram;
}

// Holds for the default seeds and more of them.
void expect_everything_was_seen(const Histogram& histogram) {
  if (seed_count() < kDefaultSeeds) return;
  for (const uint64_t count : {histogram.read_after_write, histogram.write_after_write, histogram.write_after_read, histogram.edges,
                               histogram.pooled_edges, histogram.blocked, histogram.scopes, histogram.slot_wraps, histogram.line_wraps,
                               histogram.heap_wraps, histogram.scope_deadlocks, histogram.heap_deadlocks, histogram.flow_deadlocks}) {
    EXPECT_GT(count, 0u);
  }
}

TEST(RandomPrograms, byte_intervals_give_the_serial_result_with_no_edge_missing_and_none_too_many) {
  const Histogram histogram = run_seeds<graph::NativeHazards>("intervals", true);
  EXPECT_EQ(histogram.wrong_results, 0u);
  EXPECT_EQ(histogram.missing_orders, 0u);
  EXPECT_EQ(histogram.extra_edges, 0u);
  expect_everything_was_seen(histogram);
}

TEST(RandomPrograms, boxes_give_the_serial_result_with_no_edge_missing) {
  const Histogram histogram = run_seeds<graph::NativeHazards>("boxes", false);
  EXPECT_EQ(histogram.wrong_results, 0u);
  EXPECT_EQ(histogram.missing_orders, 0u);
  EXPECT_GT(histogram.extra_edges, 0u) << "boxes are bounded by intervals";
  expect_everything_was_seen(histogram);
}

struct NoReadAfterWrite : graph::NativeHazards {
  static constexpr bool kReadAfterWrite = false;
};
struct NoWriteAfterWrite : graph::NativeHazards {
  static constexpr bool kWriteAfterWrite = false;
};
struct NoWriteAfterRead : graph::NativeHazards {
  static constexpr bool kWriteAfterRead = false;
};

template <class Policy>
void expect_faults(const char* name) {
  const Histogram histogram = run_seeds<Policy>(name, true);
  EXPECT_GE(histogram.wrong_results * 100, seed_count());
  EXPECT_GE(histogram.missing_orders * 100, seed_count());
}

TEST(RandomPrograms, without_read_after_write_edges_the_property_fails) { expect_faults<NoReadAfterWrite>("no RAW"); }
TEST(RandomPrograms, without_write_after_write_edges_the_property_fails) { expect_faults<NoWriteAfterWrite>("no WAW"); }
TEST(RandomPrograms, without_write_after_read_edges_the_property_fails) { expect_faults<NoWriteAfterRead>("no WAR"); }

}  // namespace
}  // namespace taskmill::test
