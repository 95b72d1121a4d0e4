// How a program's steps become submits and kernels, wherever it is played.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/model.h"
#include "graph/program.h"

namespace taskmill::test {

// What one step submits. It lives as long as the submit, and borrows `tensors`, the program's buffers by index.
class Submission {
 public:
  Submission(const Program& program, const Step& step, const std::vector<Tensor>& tensors, const std::vector<uint64_t>& ids) : step_(step) {
    views_.reserve(step.uses.size());
    specs_.reserve(step.uses.size());
    for (const Use& use : step.uses) add(program.buffers[use.buffer], use, tensors);
    if (step.kind == Step::kAllocate) {
      specs_[0].set_initial_value(step.scalars[0]);
    } else {
      for (const uint64_t scalar : step.scalars) args.add_scalar(scalar);
    }
    for (const uint32_t place : step.dependencies) dependencies_.push_back(ids[place]);
    args.set_dependencies(dependencies_.data(), static_cast<uint32_t>(dependencies_.size()));
  }

  TaskKind kind() const {
    if (step_.kind == Step::kAllocate) return TaskKind::kAllocation;
    return step_.order_only ? TaskKind::kOrderOnly : TaskKind::kKernel;
  }
  // The buffers that the submit made.
  void take_outputs(const Tensor* outputs, std::vector<Tensor>& tensors) const {
    for (const Use& use : step_.uses) {
      if (use.mode == ArgumentMode::kOutput) tensors[use.buffer] = *outputs++;
    }
  }

  TaskArgs args;

 private:
  void add(const BufferSpec& buffer, const Use& use, const std::vector<Tensor>& tensors) {
    if (use.mode == ArgumentMode::kOutput) {
      specs_.emplace_back(buffer.shape.data(), static_cast<uint32_t>(buffer.shape.size()), buffer.dtype);
      args.add_output(specs_.back());
      return;
    }
    views_.push_back(use.view.apply(tensors[use.buffer]));
    if (use.mode == ArgumentMode::kInput) args.add_input(views_.back());
    if (use.mode == ArgumentMode::kInout) args.add_inout(views_.back());
    if (use.mode == ArgumentMode::kOutputExisting) args.add_output(views_.back());
    if (use.mode == ArgumentMode::kNoDependency) args.add_no_dependency(views_.back());
  }

  const Step& step_;
  std::vector<Tensor> views_;
  std::vector<TensorSpec> specs_;
  std::vector<uint64_t> dependencies_;
};

template <class Visit>
void for_each_byte(const TensorDescriptor& view, Visit&& visit) {
  const uint64_t size = element_bytes(view.dtype);
  for (uint64_t i = 0; i < view.numel(); ++i) {
    uint64_t element = view.start_offset;
    for (uint64_t d = view.ndims, rest = i; d-- > 0; rest /= view.shapes[d]) element += rest % view.shapes[d] * view.strides[d];
    for (uint64_t b = 0; b < size; ++b) visit(*reinterpret_cast<uint8_t*>(view.buffer.addr + element * size + b));
  }
}

// The kernel of a step: reads, then writes. False: it did not read what the serial run read.
inline bool play(const Step& step, const ModelTask& expected, const std::vector<const TensorDescriptor*>& tensors) {
  ToyKernel kernel(step.scalars);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (reads(step.uses[i].mode)) for_each_byte(*tensors[i], [&](uint8_t& byte) { kernel.read(byte); });
  }
  const bool right = kernel.finish_reading() == expected.digest;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    uint32_t index = 0;
    if (writes(step.uses[i].mode)) for_each_byte(*tensors[i], [&](uint8_t& byte) { byte = kernel.write(i, index++); });
  }
  return right;
}

}  // namespace taskmill::test
