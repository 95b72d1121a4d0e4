// A chip that runs tasks inside the calls of the orchestrator: the builder's environment for tests. Single-threaded and
// seeded: whenever the orchestrator blocks, or a test asks for it, some ready tasks run and complete in a random order.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "graph/builder.h"
#include "graph/completion.h"
#include "support/random.h"

namespace taskmill::test {

// Of each ring.
struct ToySizes {
  uint32_t window = 64;
  uint32_t argument_lines = 1024;
  uint32_t edge_nodes = 64;
  uint64_t heap_bytes = uint64_t{1} << 20;
};

// 64-byte aligned memory full of garbage.
class ToyMemory {
 public:
  ToyMemory(uint64_t bytes, uint64_t alignment)
      : bytes_(bytes), storage_(new std::byte[bytes + alignment]), base_(align_up(reinterpret_cast<uint64_t>(storage_.get()), alignment)) {
    std::memset(storage_.get(), 0xA5, bytes + alignment);
  }
  uint64_t base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_;
  std::unique_ptr<std::byte[]> storage_;
  uint64_t base_;
};

inline TensorDescriptor row_major(uint64_t address, const std::vector<uint32_t>& shape, DataType type) {
  return TensorDescriptor::row_major(address, type, shape.data(), static_cast<uint32_t>(shape.size()));
}

class ToyChip {
 public:
  static constexpr uint32_t kKernels = 4;

  ToyChip(const ToySizes& sizes, const std::vector<wire::EntryTensor>& entries, uint64_t seed)
      : ToyChip(graph_sizes(sizes), entries, seed) {}
  ToyChip(const wire::GraphSizes& sizes, const std::vector<wire::EntryTensor>& entries, uint64_t seed)
      : random(seed),
        entries_(entries),
        layout_(graph::RegionLayout::make(3, static_cast<uint32_t>(entries.size()), sizes)),
        region_memory_(layout_.bytes, kCacheLineBytes),
        heap_(sizes.heap_bytes(), kBufferAlignment),
        region(graph::GraphRegion::at(region_memory_.base(), layout_)) {
    launch.run_serial = 7;
    launch.clusters = 1;
    launch.sizes = sizes;
    launch.heap = heap_.base();
    launch.functions = reinterpret_cast<uint64_t>(functions_);
    launch.function_count = kKernels;
    launch.entry_tensor_count = static_cast<uint32_t>(entries_.size());
    launch.entry_tensors = reinterpret_cast<uint64_t>(entries_.data());
  }
  ToyChip(const ToyChip&) = delete;
  ToyChip& operator=(const ToyChip&) = delete;

  static wire::GraphSizes graph_sizes(const ToySizes& sizes) {
    wire::GraphSizes all;
    for (wire::RingSizes& ring : all.rings) ring = {sizes.window, sizes.argument_lines, sizes.edge_nodes, 0, sizes.heap_bytes};
    return all;
  }
  bool layout_is_valid() const { return layout_.valid; }

  // ---- the builder's environment
  bool fatal() const { return error.code != 0; }
  void fail(const wire::RunError& what) {
    if (!fatal()) error = what;
  }
  void ready(uint32_t slot) { ready_.push_back(slot); }
  uint64_t completed() const { return completed_; }
  bool wait_completed(uint64_t seen) {
    ++blocked;
    if (abandon_when_blocked) return false;
    while (completed_ == seen) {
      if (!run_one()) return false;
    }
    return true;
  }
  void publish(const void* address, uint64_t bytes) {
    ++published;
    const auto begin = reinterpret_cast<uint64_t>(address);
    if (!in_heap(begin, bytes)) {
      publish_in_region &= begin >= region_memory_.base() && begin + bytes <= region_memory_.base() + region_memory_.bytes();
    }
  }
  void invalidate(const void*, uint64_t) {}

  // ---- the rest of the chip

  uint32_t slot_of(uint64_t task_id) const {
    const graph::RingPlace& ring = layout_.rings[task_id >> 32];
    return ring.first_slot + static_cast<uint32_t>(task_id) % ring.window;
  }

  bool is_group(uint32_t slot) const { return region.slots[slot].description().is_group(); }
  // Its place in the order of submits.
  uint32_t task_in(uint32_t slot) const { return region.slots[slot].description().task; }

  // Runs one ready task, drawn at random. False: none is ready.
  bool run_one() {
    if (ready_.empty()) return false;
    const uint32_t place = random.below(static_cast<uint32_t>(ready_.size()));
    const uint32_t slot = ready_[place];
    ready_[place] = ready_.back();
    ready_.pop_back();
    const uint32_t task = task_in(slot);
    const bool group = is_group(slot);
    if (on_run && !group) on_run(slot);
    if (on_edge) {
      for (uint32_t node = region.slots[slot].consumers.peek(); node != graph::kNoNode;) {
        const graph::Edge edge = graph::read_edge(region, node);
        pooled_edges += graph::is_pool_node(node);
        on_edge(slot, edge.consumer);
        node = edge.next;
      }
      on_edge(slot, graph::kNoSlot);
    }
    graph::complete(region, slot, [this](uint32_t consumer) { ready(consumer); });
    ++completed_;
    if (!group) order.push_back(task);
    return true;
  }
  void run_some(uint32_t most) {
    for (uint32_t i = 0; i < most && run_one(); ++i) continue;
  }
  void run_all() {
    while (run_one()) continue;
  }
  size_t ready_count() const { return ready_.size(); }
  bool in_heap(uint64_t address, uint64_t bytes) const {
    return address >= heap_.base() && address + bytes <= heap_.base() + heap_.bytes();
  }

  Random random;
  std::function<void(uint32_t slot)> on_run;
  std::function<void(uint32_t producer, uint32_t consumer)> on_edge;  // slots; at the end of a producer's list kNoSlot
  wire::RunError error = {};
  wire::LaunchBlock launch = {};
  bool abandon_when_blocked = false;
  uint64_t blocked = 0;
  uint64_t published = 0;
  bool publish_in_region = true;
  uint64_t pooled_edges = 0;    // counted with on_edge
  std::vector<uint32_t> order;  // of completion

 private:
  std::vector<wire::EntryTensor> entries_;
  uint64_t functions_[kKernels] = {16, 32, 48, 0};
  graph::RegionLayout layout_;
  ToyMemory region_memory_;
  ToyMemory heap_;
  std::vector<uint32_t> ready_;
  uint64_t completed_ = 0;

 public:
  graph::GraphRegion region;
};

// A chip and a builder on it, with entry buffers of its own.
class ToyRun {
 public:
  // One one-dimensional entry tensor of uint8 per size.
  ToyRun(const ToySizes& sizes, const std::vector<uint32_t>& entry_bytes, uint64_t seed = 1, const graph::HazardRules& rules = {})
      : memory_(make_memory(entry_bytes)), chip(sizes, make_entries(entry_bytes), seed) {
    builder.init(chip.region, chip, chip.launch, rules);
  }

  SubmitResult submit(const TaskArgs& args, int32_t kernel_id = 0) {
    SubmitResult result;
    builder.submit(args.spec(kernel_id, CoreType::kAiv), result);
    return result;
  }
  const Tensor& entry(uint32_t index) const { return builder.entry_tensor(index); }

 private:
  static std::vector<std::unique_ptr<ToyMemory>> make_memory(const std::vector<uint32_t>& entry_bytes) {
    std::vector<std::unique_ptr<ToyMemory>> memory;
    for (const uint32_t bytes : entry_bytes) memory.push_back(std::make_unique<ToyMemory>(bytes, kBufferAlignment));
    return memory;
  }
  std::vector<wire::EntryTensor> make_entries(const std::vector<uint32_t>& entry_bytes) const {
    std::vector<wire::EntryTensor> entries;
    for (uint32_t i = 0; i < entry_bytes.size(); ++i) {
      entries.push_back({row_major(memory_[i]->base(), {entry_bytes[i]}, DataType::kUint8), entry_bytes[i], i, {}});
    }
    return entries;
  }

  std::vector<std::unique_ptr<ToyMemory>> memory_;

 public:
  ToyChip chip;
  graph::Builder<ToyChip> builder;
};

// Between slots: in the entry scope the places in the order of submits until ring 0 wraps.
struct Edges {
  explicit Edges(ToyChip& chip) {
    chip.on_edge = [this](uint32_t producer, uint32_t consumer) {
      if (consumer != graph::kNoSlot) all.insert({producer, consumer});
    };
  }
  bool has(uint32_t producer, uint32_t consumer) const { return all.count({producer, consumer}) == 1; }
  std::set<uint32_t> into(uint32_t consumer) const {
    std::set<uint32_t> producers;
    for (const auto& [producer, other] : all) {
      if (other == consumer) producers.insert(producer);
    }
    return producers;
  }
  std::set<std::pair<uint32_t, uint32_t>> all;
};

}  // namespace taskmill::test
