#include "variant/tmr/host/make_image.h"

#include <cstring>

#include "device/aicpu/run_state.h"

namespace taskmill::tmr {
namespace {

wire::EntryTensor entry_tensor(const EntryArgument& argument, const Root& root, const TensorLease& lease) {
  wire::EntryTensor entry = {};
  entry.descriptor = TensorDescriptor::row_major(lease.device, argument.dtype, argument.shape, argument.ndims);
  entry.descriptor.start_offset = argument.bytes == 0 ? 0 : (argument.address - root.address) / element_bytes(argument.dtype);
  entry.buffer_bytes = lease.bytes;
  entry.root = root.first;
  return entry;
}

// Where the tables lie in the table buffer.
struct TableLayout {
  uint64_t scalars = 0;
  uint64_t functions = 0;
  uint64_t bytes = 0;

  // The counts are bounded by kMaxEntryTensors, kMaxEntryScalars and the kernel ids, so nothing overflows.
  static TableLayout of(const RunInputs& inputs) {
    TableLayout layout;
    layout.scalars = inputs.tensors.size() * sizeof(wire::EntryTensor);
    layout.functions = layout.scalars + inputs.scalars.size() * sizeof(uint64_t);
    layout.bytes = layout.functions + inputs.functions.size() * sizeof(uint64_t);
    return layout;
  }
};

std::vector<std::byte> tables_of(const RunInputs& inputs, const Roots& roots, const RunBindings& run) {
  const TableLayout layout = TableLayout::of(inputs);
  std::vector<std::byte> tables(layout.bytes);
  for (size_t i = 0; i < inputs.tensors.size(); ++i) {
    const uint32_t root = roots.root_of[i];
    const wire::EntryTensor entry = entry_tensor(inputs.tensors[i], roots.roots[root], run.leases[root]);
    std::memcpy(tables.data() + i * sizeof entry, &entry, sizeof entry);
  }
  if (!inputs.scalars.empty()) std::memcpy(tables.data() + layout.scalars, inputs.scalars.data(), inputs.scalars.size() * sizeof(uint64_t));
  if (!inputs.functions.empty()) {
    std::memcpy(tables.data() + layout.functions, inputs.functions.data(), inputs.functions.size() * sizeof(uint64_t));
  }
  return tables;
}

wire::LaunchBlock launch_block(const RunSlot& slot, const RunInputs& inputs, const SlotNeeds& needs, uint64_t serial) {
  const TableLayout layout = TableLayout::of(inputs);
  const DeviceAddress tables = slot.tables().address();
  wire::LaunchBlock launch = {};
  launch.version = wire::kLaunchVersion;
  launch.arch = slot.device().info().arch;
  launch.run_serial = serial;
  launch.clusters = slot.clusters();
  launch.scheduler_threads = slot.programs().scheduler_threads;
  launch.registers = slot.registers().address();
  launch.region = slot.region().address();
  launch.region_bytes = needs.region_bytes;
  launch.heap = slot.heap().address();
  launch.sizes = inputs.sizes;
  launch.functions = tables + layout.functions;
  launch.function_count = static_cast<uint32_t>(inputs.functions.size());
  launch.entry_tensor_count = static_cast<uint32_t>(inputs.tensors.size());
  launch.entry_tensors = tables;
  launch.entry_scalars = tables + layout.scalars;
  launch.entry_scalar_count = static_cast<uint32_t>(inputs.scalars.size());
  launch.rules = inputs.rules;
  launch.orchestration_run = inputs.orchestration_run;
  launch.orchestration_entry = inputs.orchestration_entry;
  launch.result = slot.result().address();
  launch.trace = needs.trace_bytes != 0 ? slot.trace().address() : 0;
  launch.trace_bytes = needs.trace_bytes;
  launch.kernel_limit_ns = inputs.kernel_limit_ns;
  launch.stall_limit_ns = inputs.stall_limit_ns;
  return launch;
}

}  // namespace

Result<SlotNeeds> slot_needs(const RunSlot& slot, const RunInputs& inputs) {
  SlotNeeds needs;
  needs.region_bytes = aicpu::region_bytes(slot.cores(), static_cast<uint32_t>(inputs.tensors.size()), inputs.sizes);
  if (needs.region_bytes == 0) {
    return fail(ErrorCode::kInvalidArgument, "the run region for these ring sizes is larger than any device's memory");
  }
  needs.heap_bytes = inputs.sizes.heap_bytes();
  needs.table_bytes = TableLayout::of(inputs).bytes;
  if (inputs.trace_records_per_lane != 0) needs.trace_bytes = wire::trace_region_bytes(slot.trace_lanes(), inputs.trace_records_per_lane);
  return needs;
}

RunImage make_image(const RunSlot& slot, const RunInputs& inputs, const SlotNeeds& needs, const Roots& roots, const RunBindings& run) {
  return {launch_block(slot, inputs, needs, run.serial), tables_of(inputs, roots, run)};
}

}  // namespace taskmill::tmr
