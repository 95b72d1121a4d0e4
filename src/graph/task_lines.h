// Writes what a task carries into its lines: argument block, own descriptors, then the records of the buffers that it makes.
// A block that names a producer whose buffers the task uses holds a pin on it, which the task's completion gives back.
#pragma once

#include <cstdint>
#include <cstring>

#include "graph/region.h"
#include "graph/ring_set.h"
#include "graph/root.h"
#include "graph/task_check.h"
#include "wire/mailbox.h"

namespace taskmill::graph {

// What the tensors of a task's new buffers say besides their shape.
struct BufferOrigin {
  uint64_t run_serial;
  uint64_t task_id;
  uint32_t scope_depth;
  uint32_t scope_serial;
};

class TaskLines {
 public:
  TaskLines(const GraphRegion& region, const TaskSpec& spec, ResolvedTask& task, const Place& place)
      : region_(region),
        spec_(spec),
        task_(task),
        place_(place),
        descriptor_line_(place.first_line + argument_block_lines(spec.tensor_count, spec.scalar_count, task.retained)),
        root_line_(descriptor_line_ + task.own_descriptors),
        address_(place.buffers) {}

  // Takes the pins; gives a tensor per new buffer.
  void write(const BufferOrigin& origin, const TaskRings& tasks, SubmitResult& result) {
    auto* slots = region_.line_as<wire::TensorSlot>(place_.first_line);
    for (uint32_t i = 0; i < spec_.tensor_count; ++i) {
      ResolvedArgument& argument = task_.arguments[i];
      uint32_t line = argument.descriptor_line;
      if (spec_.tensors[i].mode == ArgumentMode::kOutput) {
        line = make_buffer(*spec_.tensors[i].spec, origin, argument, result.outputs[result.output_count++]);
      } else if (line == kOwnDescriptor) {
        line = descriptor_line_++;
        *region_.line_as<TensorDescriptor>(line) = *spec_.tensors[i].tensor;
      }
      slots[i].descriptor_line = line | ((argument.access.use & kWrites) != 0 ? wire::kWrittenTensor : 0);
      slots[i].owner = argument.owner;
      if (argument.owner != 0) ++region_.records[argument.owner - 1].pins_taken;
    }
    auto* scalars = reinterpret_cast<uint64_t*>(slots + spec_.tensor_count);
    for (uint32_t i = 0; i < spec_.scalar_count; ++i) scalars[i] = spec_.scalars[i];
    if (task_.retained != 0) retain(reinterpret_cast<uint32_t*>(scalars + spec_.scalar_count), tasks);
  }

  // First line behind what `write` wrote.
  uint32_t end() const { return root_line_; }

 private:
  [[gnu::noinline]] void retain(uint32_t* retained, const TaskRings& tasks) const {
    for (uint32_t i = 0; i < spec_.dependency_count; ++i) {
      TaskRef producer = 0;
      if (tasks.find(spec_.dependencies[i], &producer) != TaskRings::Known::kLive) continue;
      TaskRecord& record = region_.records[tasks.slot(producer)];
      if (record.buffers == 0) continue;
      ++record.pins_taken;
      *retained++ = tasks.slot(producer);
    }
  }

  // The descriptor's line.
  uint32_t make_buffer(const TensorSpec& spec, const BufferOrigin& origin, ResolvedArgument& argument, Tensor& tensor) {
    const uint64_t bytes = argument.access.footprint.end;
    const uint32_t line = descriptor_line_++;
    const TensorDescriptor descriptor = TensorDescriptor::row_major(address_, spec.dtype, spec.shapes, spec.ndims);
    *region_.line_as<TensorDescriptor>(line) = descriptor;

    RootRecord root = {};
    root.base = address_;
    root.bytes = bytes;
    root.descriptor_line = line;
    root.owner = place_.slot + 1;
    root.owner_task = place_.task;
    root.descriptor_is_whole = true;
    root.writer = place_.task;
    root.writer_use = bytes != 0 && spec_.kind != TaskKind::kAllocation ? kWrites : 0;
    *region_.line_as<RootRecord>(root_line_) = root;

    tensor = Tensor{descriptor, bytes, origin.run_serial, root_line_, origin.scope_serial, origin.scope_depth, 0, origin.task_id, {}};
    argument.access.root_line = root_line_++;
    address_ += heap_units(bytes) * kBufferAlignment;
    return line;
  }

  const GraphRegion& region_;
  const TaskSpec& spec_;
  ResolvedTask& task_;
  const Place& place_;
  uint32_t descriptor_line_;
  uint32_t root_line_;
  uint64_t address_;
};

}  // namespace taskmill::graph
