// A random graph program as plain data: which tasks name which views of which buffers, in which scopes. It can be run on any
// ring sizes, and serially by the model (model.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random.h"
#include "taskmill/orchestration.h"

namespace taskmill::test {

constexpr uint32_t kMaxBufferBytes = 256;

struct BufferSpec {
  uint32_t root;  // buffers over the same bytes share one
  std::vector<uint32_t> shape;
  DataType dtype;

  uint32_t elements() const {
    uint32_t count = 1;
    for (const uint32_t extent : shape) count *= extent;
    return count;
  }
  uint32_t bytes() const { return elements() * element_bytes(dtype); }
};

struct ViewSpec {
  enum Kind { kWhole, kRows, kFlat, kBox } kind = kWhole;
  uint32_t begin = 0;  // kRows: of dimension 0; kFlat: of the buffer reshaped to one dimension
  uint32_t count = 0;
  std::vector<uint32_t> offsets;  // kBox
  std::vector<uint32_t> shape;

  Tensor apply(const Tensor& tensor) const {
    switch (kind) {
      case kRows:
        return tensor.rows(begin, count);
      case kFlat: {
        const auto elements = static_cast<uint32_t>(tensor.numel());
        return tensor.reshape(&elements, 1).rows(begin, count);
      }
      case kBox:
        return tensor.view(shape.data(), offsets.data());
      default:
        return tensor;
    }
  }
};

struct Use {
  ArgumentMode mode;
  uint32_t buffer;  // of Program::buffers; of kOutput: the one that is made here
  ViewSpec view;
};

struct Step {
  enum Kind { kSubmit, kScopeBegin, kScopeEnd } kind;
  std::vector<Use> uses;
  std::vector<uint64_t> scalars;
};

struct Program {
  uint32_t entries = 0;  // the first buffers
  std::vector<BufferSpec> buffers;
  std::vector<Step> steps;
};

class ProgramGenerator {
 public:
  // Contiguous programs have no views but byte intervals.
  ProgramGenerator(uint64_t seed, bool contiguous) : random_(seed), contiguous_(contiguous) {}

  Program make() {
    make_entries();
    const uint32_t steps = random_.between(20, 120);
    for (uint32_t i = 0; i < steps; ++i) make_step();
    while (scopes_.size() > 1) end_scope();
    return program_;
  }

 private:
  BufferSpec random_buffer(uint32_t root) {
    static constexpr DataType kTypes[] = {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64};
    BufferSpec buffer = {root, {}, kTypes[random_.below(4)]};
    uint32_t room = kMaxBufferBytes / element_bytes(buffer.dtype);
    const uint32_t rank = random_.between(1, 3);
    for (uint32_t d = 0; d < rank; ++d) {
      buffer.shape.push_back(random_.between(1, std::min(room, d == 0 ? 24u : 6u)));
      room /= buffer.shape.back();
    }
    return buffer;
  }

  void make_entries() {
    const uint32_t roots = random_.between(1, 3);
    for (uint32_t i = 0; i < roots; ++i) program_.buffers.push_back(random_buffer(i));
    if (random_.one_in(2)) {  // a second entry tensor over the first one's bytes
      program_.buffers.push_back({0, {program_.buffers[0].bytes()}, DataType::kUint8});
    }
    program_.entries = static_cast<uint32_t>(program_.buffers.size());
    roots_ = roots;
    scopes_.emplace_back();
    for (uint32_t i = 0; i < program_.entries; ++i) scopes_.back().push_back(i);
  }

  void make_step() {
    const uint32_t dice = random_.below(100);
    if (dice < 2) {
      make_fan();
    } else if (dice < 15 && scopes_.size() < 6) {
      program_.steps.push_back({Step::kScopeBegin, {}, {}});
      scopes_.emplace_back();
    } else if (dice < 32 && scopes_.size() > 1) {
      end_scope();
    } else {
      make_task();
    }
  }

  void end_scope() {
    program_.steps.push_back({Step::kScopeEnd, {}, {}});
    scopes_.pop_back();
  }

  void make_task() {
    Step step = {Step::kSubmit, {}, {}};
    const bool wide = random_.one_in(12);
    const uint32_t uses = wide ? random_.between(6, 14) : random_.between(1, 4);
    std::vector<uint32_t> made;
    for (uint32_t i = 0; i < uses; ++i) {
      // Not in the entry scope: what it holds stays to the end, and all behind it with it.
      if (!wide && scopes_.size() > 1 && random_.one_in(6)) {
        made.push_back(static_cast<uint32_t>(program_.buffers.size()));
        program_.buffers.push_back(random_buffer(roots_++));
        step.uses.push_back({ArgumentMode::kOutput, made.back(), {}});
      } else {
        step.uses.push_back(existing_use());
      }
    }
    const uint32_t scalars = random_.below(4);
    for (uint32_t i = 0; i < scalars; ++i) step.scalars.push_back(random_.next());
    scopes_.back().insert(scopes_.back().end(), made.begin(), made.end());
    program_.steps.push_back(step);
  }

  // A task per row of an entry tensor, then one that needs them all: more edges than a slot has.
  void make_fan() {
    const uint32_t buffer = random_.below(program_.entries);
    const uint32_t rows = std::min(program_.buffers[buffer].shape[0], 20u);
    for (uint32_t row = 0; row < rows; ++row) {
      program_.steps.push_back({Step::kSubmit, {{ArgumentMode::kInout, buffer, {ViewSpec::kRows, row, 1, {}, {}}}}, {}});
    }
    program_.steps.push_back({Step::kSubmit, {{ArgumentMode::kInput, buffer, {}}}, {}});
  }

  Use existing_use() {
    static constexpr ArgumentMode kModes[] = {ArgumentMode::kInput, ArgumentMode::kInput, ArgumentMode::kInout,
                                              ArgumentMode::kOutputExisting};
    // Mostly from the outermost scopes, so that tasks of different scopes meet.
    const std::vector<uint32_t>& scope = scopes_[random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(scopes_.size()))];
    const std::vector<uint32_t>& from = scope.empty() ? scopes_[0] : scope;
    const uint32_t buffer = from[random_.below(static_cast<uint32_t>(from.size()))];
    return {kModes[random_.below(4)], buffer, random_view(program_.buffers[buffer])};
  }

  ViewSpec random_view(const BufferSpec& buffer) {
    ViewSpec view;
    const uint32_t dice = random_.below(10);
    if (dice < 3) return view;
    if (dice < 6 || (contiguous_ && dice < 8)) {
      view.kind = ViewSpec::kRows;
      interval(buffer.shape[0], view);
    } else if (contiguous_ || dice < 8) {
      view.kind = ViewSpec::kFlat;
      interval(buffer.elements(), view);
    } else {
      view.kind = ViewSpec::kBox;
      for (const uint32_t extent : buffer.shape) {
        ViewSpec side;
        interval(extent, side);
        view.offsets.push_back(side.begin);
        view.shape.push_back(side.count);
      }
    }
    return view;
  }

  // Short ones mostly; an empty one now and then.
  void interval(uint32_t extent, ViewSpec& view) {
    view.begin = random_.below(extent);
    const uint32_t most = extent - view.begin;
    view.count = random_.one_in(20) ? 0 : random_.between(1, random_.one_in(3) ? most : std::min(most, 4u));
  }

  Random random_;
  bool contiguous_;
  Program program_;
  uint32_t roots_ = 0;
  std::vector<std::vector<uint32_t>> scopes_;  // buffers that live in each open scope
};

}  // namespace taskmill::test
