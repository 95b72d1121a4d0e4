// The orchestrator on one thread, completers on others, small rings: tasks touch plain memory, so a missing order is a data
// race that the thread sanitizer sees, and a wrong result that everybody sees.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "graph/builder.h"
#include "graph/completion.h"
#include "graph/ready_list.h"
#include "graph/toy_chip.h"
#include "support/random.h"

namespace taskmill::test {
namespace {

class ThreadedChip {
 public:
  ThreadedChip(const ToySizes& sizes, uint32_t words, uint32_t workers)
      : memory_(words * 8, kBufferAlignment),
        entry_{row_major(memory_.base(), {words}, DataType::kUint64), words * uint64_t{8}, 0, {}},
        layout_(graph::RegionLayout::make(3, 1, ToyChip::graph_sizes(sizes))),
        region_memory_(layout_.bytes, kCacheLineBytes),
        heap_(ToyChip::graph_sizes(sizes).heap_bytes(), kBufferAlignment),
        inboxes_(workers),
        region(graph::GraphRegion::at(region_memory_.base(), layout_)) {
    for (uint32_t i = 0; i < words; ++i) word(i) = i;
    launch.run_serial = 1;
    launch.clusters = 1;
    launch.sizes = ToyChip::graph_sizes(sizes);
    launch.heap = heap_.base();
    launch.functions = reinterpret_cast<uint64_t>(functions_);
    launch.function_count = 1;
    launch.entry_tensor_count = 1;
    launch.entry_tensors = reinterpret_cast<uint64_t>(&entry_);
    for (uint32_t w = 0; w < workers; ++w) workers_.emplace_back([this, w] { work(w); });
  }
  ~ThreadedChip() { stop(); }

  // ---- the builder's environment
  bool fatal() const { return failed; }
  void fail(const wire::RunError&) { failed = true; }
  void ready(uint32_t slot) { hand_over(slot); }
  uint32_t completed() const { return completed_.load(std::memory_order_acquire); }
  bool wait_completed(uint32_t seen) {
    ++blocked;
    completed_.wait(seen, std::memory_order_acquire);
    return true;
  }
  void publish(const void*, uint64_t) {}
  void invalidate(const void*, uint64_t) {}

  void stop() {
    stop_.store(true);
    ring();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }
  void wait_for(uint64_t tasks) {
    for (uint32_t seen = completed(); seen != tasks; seen = completed()) completed_.wait(seen);
  }
  uint64_t& word(uint32_t i) const { return reinterpret_cast<uint64_t*>(memory_.base())[i]; }

  // What task `task` makes of what it reads.
  static uint64_t result(uint32_t task, uint64_t sum) { return Random::mix(sum + task); }

 private:
  void hand_over(uint32_t slot) {
    inboxes_[region.slots[slot].description().task % inboxes_.size()].push(region.slots, slot);
    ring();
  }
  void ring() {
    bell_.fetch_add(1);
    bell_.notify_all();
  }

  void work(uint32_t self) {
    graph::ReadyList ready;
    while (!stop_.load()) {
      const uint32_t seen = bell_.load();
      if (!inboxes_[self].take_all(region.slots, ready)) {
        bell_.wait(seen);
        continue;
      }
      for (uint32_t slot = ready.pop(region.slots); slot != graph::kNoSlot; slot = ready.pop(region.slots)) execute(slot);
    }
  }

  void execute(uint32_t slot) {
    const graph::TaskDescription& task = region.slots[slot].description();
    const wire::TensorSlot* arguments = region.tensor_slots(slot);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < task.tensor_count; ++i) {
      if (!arguments[i].written()) sum += first_word(arguments[i]);
    }
    for (uint32_t i = 0; i < task.tensor_count; ++i) {
      if (arguments[i].written()) first_word(arguments[i]) = result(task.task, sum);
    }
    graph::complete(region, slot, [this](uint32_t consumer) { hand_over(consumer); });
    completed_.fetch_add(1, std::memory_order_release);
    completed_.notify_all();
  }
  uint64_t& first_word(const wire::TensorSlot& argument) const {
    const auto* view = region.line_as<TensorDescriptor>(argument.line());
    return reinterpret_cast<uint64_t*>(view->buffer.addr)[view->start_offset];
  }

  ToyMemory memory_;
  wire::EntryTensor entry_;
  uint64_t functions_[1] = {16};
  graph::RegionLayout layout_;
  ToyMemory region_memory_;
  ToyMemory heap_;
  std::vector<graph::ReadyInbox> inboxes_;
  std::atomic<uint32_t> bell_ = 0;
  std::atomic<uint32_t> completed_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> workers_;

 public:
  graph::GraphRegion region;
  wire::LaunchBlock launch = {};
  bool failed = false;
  uint64_t blocked = 0;
};

// Random reads and writes of words, some through buffers made on the way; every value is compared with a serial run.
void run_words(uint64_t seed, const ToySizes& sizes, uint32_t rounds) {
  constexpr uint32_t kWords = 24;
  std::printf("seed %lu\n", static_cast<unsigned long>(seed));
  ThreadedChip chip(sizes, kWords, 2);
  auto builder = std::make_unique<graph::Builder<ThreadedChip>>();
  builder->init(chip.region, chip, chip.launch);
  Random random(seed);
  std::vector<uint64_t> model(kWords);
  for (uint32_t i = 0; i < kWords; ++i) model[i] = i;
  const auto word = [&](uint32_t i) { return builder->entry_tensor(0).rows(i); };
  const uint32_t one[] = {1};
  const TensorSpec spec(one, 1, DataType::kUint64);
  uint32_t task = 0;
  SubmitResult made, ignored;
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t from = random.below(kWords), to = random.below(kWords);
    builder->scope_begin("words", round);
    builder->submit(TaskArgs().add_input(word(from)).add_output(spec).spec(0, CoreType::kAiv), made);
    const uint64_t buffer = ThreadedChip::result(task++, model[from]);
    TaskArgs args;
    args.add_input(made.outputs[0]);
    uint64_t sum = buffer;
    const bool wide = random.one_in(8);  // needs more edges than a slot has
    std::vector<Tensor> all;
    for (uint32_t i = 0; wide && i < kWords; ++i) {
      all.push_back(word(i));
      sum += model[i];
    }
    for (const Tensor& tensor : all) args.add_input(tensor);
    const Tensor target = word(to);
    builder->submit(args.add_output(target).spec(0, CoreType::kAiv), ignored);
    model[to] = ThreadedChip::result(task++, sum);
    builder->scope_end();
  }
  builder->finish();
  ASSERT_FALSE(builder->fatal());
  chip.wait_for(builder->submitted());
  chip.stop();
  for (uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(chip.word(i), model[i]);
  EXPECT_EQ(builder->submitted() - builder->groups(), 2u * rounds);
}

TEST(Threads, two_completers_and_the_smallest_rings_give_the_serial_result) {
  run_words(11, {.window = 4, .argument_lines = 128, .edge_nodes = 4, .heap_bytes = 2048}, 1500);
}

TEST(Threads, two_completers_and_wide_rings_give_the_serial_result) {
  run_words(12, {.window = 1024, .argument_lines = 16384, .edge_nodes = 256, .heap_bytes = uint64_t{1} << 20}, 4000);
}

}  // namespace
}  // namespace taskmill::test
