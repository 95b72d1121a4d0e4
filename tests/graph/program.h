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

// One view operation after another; the elements are those that NumPy's indexing would name.
struct ViewSpec {
  enum Kind { kWhole, kRows, kFlat, kBox, kSteps, kPermuted, kKinds } kind = kWhole;
  uint32_t begin = 0;  // kRows: of dimension 0; kFlat: of the buffer reshaped to one dimension
  uint32_t count = 0;
  std::vector<uint32_t> offsets;  // kBox, kSteps, kPermuted: per dimension of the buffer
  std::vector<uint32_t> shape;
  std::vector<uint32_t> steps;  // kSteps, kPermuted
  std::vector<uint32_t> order;  // kPermuted: of the buffer's dimensions
  bool by_address = false;      // named by its address instead of its tensor

  Tensor apply(const Tensor& tensor) const {
    const Tensor base = by_address ? make_tensor(tensor.buffer.addr, tensor.shapes, tensor.ndims, tensor.dtype) : tensor;
    switch (kind) {
      case kRows:
        return base.rows(begin, count);
      case kFlat: {
        const auto elements = static_cast<uint32_t>(base.numel());
        return base.reshape(&elements, 1).rows(begin, count);
      }
      case kBox:
        return base.view(shape.data(), offsets.data());
      case kSteps:
        return sliced(base);
      case kPermuted:
        return sliced(base).permute(order.data());
      default:
        return base;
    }
  }

 private:
  Tensor sliced(Tensor tensor) const {
    for (uint32_t d = 0; d < shape.size(); ++d) {
      tensor = tensor.slice(d, offsets[d], shape[d] == 0 ? offsets[d] : offsets[d] + (shape[d] - 1) * steps[d] + 1, steps[d]);
    }
    return tensor;
  }
};

struct Use {
  ArgumentMode mode;
  uint32_t buffer;  // of Program::buffers; of kOutput: the one that is made here
  ViewSpec view;
};

struct Step {
  enum Kind { kSubmit, kAllocate, kScopeBegin, kScopeEnd } kind;
  std::vector<Use> uses = {};
  std::vector<uint64_t> scalars = {};       // of a kAllocate: the initial value
  std::vector<uint32_t> dependencies = {};  // places of earlier submits
  bool order_only = false;                  // a task without a kernel
  bool manual = false;                      // of a kScopeBegin
};

// Does the step follow an earlier one, the submit number `place`, whatever bytes they use: by an explicit dependency, or as the
// maker of a buffer that it names?
inline bool asks_for(const Step& step, const Step& earlier, uint32_t place) {
  if (std::count(step.dependencies.begin(), step.dependencies.end(), place) != 0) return true;
  for (const Use& use : step.uses) {
    for (const Use& made : earlier.uses) {
      if (made.mode == ArgumentMode::kOutput && made.buffer == use.buffer && use.mode == ArgumentMode::kNoDependency) return true;
    }
  }
  return false;
}

struct Program {
  uint32_t entries = 0;  // the first buffers
  std::vector<BufferSpec> buffers;
  std::vector<Step> steps;
};

// What views a program has. kIntervals: byte intervals only; kBoxes: and boxes with steps, but of one layout of an array's bytes;
// kAll: every kind.
enum class Views { kIntervals, kBoxes, kAll };

class ProgramGenerator {
 public:
  ProgramGenerator(uint64_t seed, Views views) : random_(seed), views_(views) {}

  Program make() {
    make_entries();
    const uint32_t steps = random_.between(20, 120);
    for (uint32_t i = 0; i < steps; ++i) make_step();
    while (scopes_.size() > 1) end_scope();
    return program_;
  }

 private:
  struct Open {
    std::vector<uint32_t> buffers;  // that live in the scope
    bool manual;
  };

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
    scopes_.push_back({{}, false});
    for (uint32_t i = 0; i < program_.entries; ++i) scopes_.back().buffers.push_back(i);
  }

  void make_step() {
    const uint32_t dice = random_.below(100);
    if (dice < 2 && !scopes_.back().manual) {
      make_fan();
    } else if (dice < 15 && scopes_.size() < 6) {
      const bool manual = scopes_.back().manual || random_.one_in(8);
      Step step = {Step::kScopeBegin};
      step.manual = manual;
      program_.steps.push_back(step);
      scopes_.push_back({{}, manual});
    } else if (dice < 32 && scopes_.size() > 1) {
      end_scope();
    } else if (dice < 36 && scopes_.size() > 1) {
      make_allocation();
    } else {
      make_task();
    }
  }

  void end_scope() {
    program_.steps.push_back({Step::kScopeEnd});
    scopes_.pop_back();
  }

  // Not in the entry scope: what it holds stays to the end, and all behind it with it.
  uint32_t make_buffer() {
    program_.buffers.push_back(random_buffer(roots_++));
    return static_cast<uint32_t>(program_.buffers.size()) - 1;
  }

  void make_allocation() {
    Step step = {Step::kAllocate};
    step.uses.push_back({ArgumentMode::kOutput, make_buffer(), {}});
    step.scalars.push_back(random_.next());
    scopes_.back().buffers.push_back(step.uses[0].buffer);
    program_.steps.push_back(step);
    ++submits_;
  }

  void make_task() {
    Step step = {Step::kSubmit};
    const bool wide = random_.one_in(12);
    const uint32_t uses = wide ? random_.between(6, 14) : random_.between(1, 4);
    step.order_only = random_.one_in(20);
    std::vector<uint32_t> made;
    for (uint32_t i = 0; i < uses; ++i) {
      if (!wide && !step.order_only && scopes_.size() > 1 && random_.one_in(6)) {
        made.push_back(make_buffer());
        step.uses.push_back({ArgumentMode::kOutput, made.back(), {}});
      } else {
        step.uses.push_back(existing_use());
      }
    }
    const uint32_t scalars = random_.below(4);
    for (uint32_t i = 0; i < scalars; ++i) step.scalars.push_back(random_.next());
    const bool untracked = scopes_.back().manual || random_.one_in(30);
    if (untracked) {
      // All that went before, so that the serial result is right whatever the runtime leaves out.
      for (uint32_t i = 0; i < submits_; ++i) step.dependencies.push_back(i);
      for (Use& use : step.uses) {
        if (!scopes_.back().manual && use.mode == ArgumentMode::kInout) use.mode = ArgumentMode::kNoDependency;
      }
    } else if (submits_ != 0 && random_.one_in(10)) {
      step.dependencies.push_back(random_.below(submits_));
    }
    scopes_.back().buffers.insert(scopes_.back().buffers.end(), made.begin(), made.end());
    program_.steps.push_back(step);
    ++submits_;
  }

  // A task per row of an entry tensor, then one that needs them all: more edges than a slot has.
  void make_fan() {
    const uint32_t buffer = random_.below(program_.entries);
    const uint32_t rows = std::min(program_.buffers[buffer].shape[0], 20u);
    for (uint32_t row = 0; row < rows; ++row) {
      ViewSpec view;
      view.kind = ViewSpec::kRows;
      view.begin = row;
      view.count = 1;
      program_.steps.push_back({Step::kSubmit, {{ArgumentMode::kInout, buffer, view}}});
    }
    program_.steps.push_back({Step::kSubmit, {{ArgumentMode::kInput, buffer, {}}}});
    submits_ += rows + 1;
  }

  Use existing_use() {
    static constexpr ArgumentMode kModes[] = {ArgumentMode::kInput, ArgumentMode::kInput, ArgumentMode::kInout,
                                              ArgumentMode::kOutputExisting};
    // Mostly from the outermost scopes, so that tasks of different scopes meet.
    const std::vector<uint32_t>& scope = scopes_[random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(scopes_.size()))].buffers;
    const std::vector<uint32_t>& from = scope.empty() ? scopes_[0].buffers : scope;
    const uint32_t buffer = from[random_.below(static_cast<uint32_t>(from.size()))];
    return {kModes[random_.below(4)], buffer, random_view(program_.buffers[buffer])};
  }

  ViewSpec random_view(const BufferSpec& buffer) {
    ViewSpec view;
    view.by_address = random_.one_in(10);
    const uint32_t dice = random_.below(12);
    if (dice < 3) return view;
    const bool other_layout = &buffer == &program_.buffers[program_.entries - 1] && buffer.root + 1 != program_.entries;
    if (dice < 5 || (views_ == Views::kIntervals && dice < 8) || (views_ == Views::kBoxes && other_layout)) {
      view.kind = ViewSpec::kRows;
      interval(buffer.shape[0], &view.begin, &view.count);
    } else if (views_ == Views::kIntervals || (views_ == Views::kAll && dice < 7)) {
      view.kind = ViewSpec::kFlat;
      interval(buffer.elements(), &view.begin, &view.count);
    } else {
      view.kind = dice < 9 ? ViewSpec::kBox : dice < 11 || views_ == Views::kBoxes ? ViewSpec::kSteps : ViewSpec::kPermuted;
      for (const uint32_t extent : buffer.shape) add_side(extent, view);
      if (view.kind == ViewSpec::kPermuted) shuffle_order(view);
    }
    return view;
  }

  void add_side(uint32_t extent, ViewSpec& view) {
    uint32_t begin = 0, count = 0;
    interval(extent, &begin, &count);
    const uint32_t step = view.kind == ViewSpec::kBox ? 1 : random_.between(1, 3);
    view.offsets.push_back(begin);
    view.shape.push_back((count + step - 1) / step);
    view.steps.push_back(step);
  }

  void shuffle_order(ViewSpec& view) {
    for (uint32_t d = 0; d < view.shape.size(); ++d) view.order.push_back(d);
    for (uint32_t d = static_cast<uint32_t>(view.order.size()); d-- > 1;) std::swap(view.order[d], view.order[random_.below(d + 1)]);
  }

  // Short ones mostly; an empty one now and then.
  void interval(uint32_t extent, uint32_t* begin, uint32_t* count) {
    *begin = random_.below(extent);
    const uint32_t most = extent - *begin;
    *count = random_.one_in(20) ? 0 : random_.between(1, random_.one_in(3) ? most : std::min(most, 4u));
  }

  Random random_;
  Views views_;
  Program program_;
  uint32_t roots_ = 0;
  uint32_t submits_ = 0;
  std::vector<Open> scopes_;
};

}  // namespace taskmill::test
