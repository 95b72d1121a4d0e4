// The serial run of a program, and for each task the bytes that it reads and writes: the oracle of the property tests.
// Knows nothing of rings, scopes or intervals; a view is the list of its bytes.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <vector>

#include "graph/program.h"

namespace taskmill::test {

// What every kernel of these tests does: all that it reads decides all that it writes.
class ToyKernel {
 public:
  explicit ToyKernel(const std::vector<uint64_t>& scalars) {
    for (const uint64_t scalar : scalars) state_ = Random::mix(state_ + scalar);
  }
  void read(uint8_t byte) { state_ = (state_ ^ byte) * 0x100'0000'01B3u; }
  uint64_t finish_reading() { return state_ = Random::mix(state_); }
  uint8_t write(uint32_t argument, uint32_t index) const {
    return static_cast<uint8_t>(Random::mix(state_ + (uint64_t{argument} << 32) + index) >> 24);
  }

 private:
  uint64_t state_ = 0xCBF2'9CE4'8422'2325u;
};

using ByteSet = std::bitset<kMaxBufferBytes>;

struct RootUse {
  uint32_t root;
  ByteSet reads;
  ByteSet writes;
};

struct Hazards {
  bool read_after_write = false;
  bool write_after_write = false;
  bool write_after_read = false;
  bool any() const { return read_after_write || write_after_write || write_after_read; }
};

struct ModelTask {
  uint64_t digest;  // of what it read
  std::vector<RootUse> uses;

  // How this task conflicts with `earlier`.
  Hazards after(const ModelTask& earlier) const {
    Hazards found;
    for (const RootUse& mine : uses) {
      for (const RootUse& theirs : earlier.uses) {
        if (mine.root != theirs.root) continue;
        found.read_after_write |= (mine.reads & theirs.writes).any();
        found.write_after_write |= (mine.writes & theirs.writes).any();
        found.write_after_read |= (mine.writes & theirs.reads).any();
      }
    }
    return found;
  }
};

inline bool reads(ArgumentMode mode) { return mode != ArgumentMode::kOutput && mode != ArgumentMode::kOutputExisting; }
inline bool writes(ArgumentMode mode) { return mode != ArgumentMode::kInput; }

class Model {
 public:
  explicit Model(const Program& program) : program_(program) {
    uint32_t roots = 0;
    for (const BufferSpec& buffer : program.buffers) roots = std::max(roots, buffer.root + 1);
    memory_.assign(roots, std::vector<uint8_t>(kMaxBufferBytes));
    for (uint32_t root = 0; root < roots; ++root) {
      for (uint32_t i = 0; i < kMaxBufferBytes; ++i) memory_[root][i] = initial_byte(root, i);
    }
    for (const Step& step : program.steps) {
      if (step.kind == Step::kSubmit || step.kind == Step::kAllocate) run(step);
    }
  }

  static uint8_t initial_byte(uint32_t root, uint32_t index) { return static_cast<uint8_t>(Random::mix(root * 1000 + index)); }

  const std::vector<ModelTask>& tasks() const { return tasks_; }
  const std::vector<uint8_t>& memory(uint32_t root) const { return memory_[root]; }

 private:
  // Byte offsets in the root, in the view's order.
  std::vector<uint32_t> bytes_of(const Use& use) const {
    const BufferSpec& buffer = program_.buffers[use.buffer];
    std::vector<uint32_t> elements;
    for (uint32_t i = 0; i < buffer.elements(); ++i) {
      if (contains(buffer, use.view, i)) elements.push_back(i);
    }
    if (use.view.kind == ViewSpec::kPermuted) {
      std::sort(elements.begin(), elements.end(), [&](uint32_t a, uint32_t b) {
        const std::vector<uint32_t> left = index_of(buffer, a), right = index_of(buffer, b);
        for (const uint32_t d : use.view.order) {
          if (left[d] != right[d]) return left[d] < right[d];
        }
        return false;
      });
    }
    std::vector<uint32_t> bytes;
    const uint32_t size = element_bytes(buffer.dtype);
    for (const uint32_t element : elements) {
      for (uint32_t b = 0; b < size; ++b) bytes.push_back(element * size + b);
    }
    return bytes;
  }

  static std::vector<uint32_t> index_of(const BufferSpec& buffer, uint32_t element) {
    std::vector<uint32_t> index(buffer.shape.size());
    for (size_t d = buffer.shape.size(); d-- > 0; element /= buffer.shape[d]) index[d] = element % buffer.shape[d];
    return index;
  }

  static bool contains(const BufferSpec& buffer, const ViewSpec& view, uint32_t element) {
    switch (view.kind) {
      case ViewSpec::kRows: {
        const uint32_t row = element / (buffer.elements() / buffer.shape[0]);
        return row >= view.begin && row < view.begin + view.count;
      }
      case ViewSpec::kFlat:
        return element >= view.begin && element < view.begin + view.count;
      case ViewSpec::kWhole:
        return true;
      default: {
        const std::vector<uint32_t> index = index_of(buffer, element);
        for (size_t d = 0; d < index.size(); ++d) {
          if (index[d] < view.offsets[d]) return false;
          const uint32_t distance = index[d] - view.offsets[d];
          if (distance % view.steps[d] != 0 || distance / view.steps[d] >= view.shape[d]) return false;
        }
        return true;
      }
    }
  }

  void run(const Step& step) {
    ModelTask task = {};
    ToyKernel kernel(step.scalars);
    for (const Use& use : step.uses) {
      const uint32_t root = program_.buffers[use.buffer].root;
      RootUse bytes = {root, {}, {}};
      for (const uint32_t byte : bytes_of(use)) {
        if (reads(use.mode)) bytes.reads.set(byte);
        if (writes(use.mode)) bytes.writes.set(byte);
        if (reads(use.mode)) kernel.read(memory_[root][byte]);
      }
      task.uses.push_back(bytes);
    }
    task.digest = kernel.finish_reading();
    if (step.kind == Step::kAllocate) fill(program_.buffers[step.uses[0].buffer], step.scalars[0]);
    if (step.order_only || step.kind == Step::kAllocate) {
      tasks_.push_back(task);
      return;
    }
    for (uint32_t i = 0; i < step.uses.size(); ++i) {
      if (!writes(step.uses[i].mode)) continue;
      uint32_t index = 0;
      for (const uint32_t byte : bytes_of(step.uses[i])) {
        memory_[program_.buffers[step.uses[i].buffer].root][byte] = kernel.write(i, index++);
      }
    }
    tasks_.push_back(task);
  }

  void fill(const BufferSpec& buffer, uint64_t value) {
    for (uint32_t i = 0; i < buffer.bytes(); ++i) {
      memory_[buffer.root][i] = static_cast<uint8_t>(value >> 8 * (i % element_bytes(buffer.dtype)));
    }
  }

  const Program& program_;
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<ModelTask> tasks_;
};

}  // namespace taskmill::test
