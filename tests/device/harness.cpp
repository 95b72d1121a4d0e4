#include "harness.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "device/aicore/core_step.h"
#include "device/aicpu/run_state.h"
#include "referee.h"
#include "trace/trace.h"
#include "variant/tmr/aicpu/tmr_entry.h"

extern "C" int32_t taskmill_orchestration_run(const taskmill::OrchestrationOps* ops, void* self,
                                              void (*entry)(const taskmill::OrchestrationArgs&), const taskmill::OrchestrationArgs* args);

namespace taskmill::test {
namespace {

Chip* current_chip = nullptr;
const Body* current_body = nullptr;

void call_body(const OrchestrationArgs& args) { (*current_body)(args); }

}  // namespace

void Chip::Free::operator()(void* memory) const { std::free(memory); }

Chip::Memory Chip::make_memory(uint64_t bytes) {
  const uint64_t padded = align_up(bytes + 1, kBufferAlignment);
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, padded));
  std::memset(memory, 0xA5, padded);  // nobody may rely on zeros
  return Memory(memory);
}

Chip& Chip::current() { return *current_chip; }

Chip::Chip(const ChipOptions& options) : options_(options), functions_(8, 0) {
  registers_memory_ = make_memory(cores() * sizeof(wire::CoreRegisters));
  registers_ = reinterpret_cast<wire::CoreRegisters*>(registers_memory_.get());
  std::memset(static_cast<void*>(registers_), 0, cores() * sizeof(wire::CoreRegisters));
  heap_ = make_memory(options.sizes.heap_bytes());
  result_ = make_memory(sizeof(wire::ResultBlock));
  launch_.version = wire::kLaunchVersion;
  launch_.arch = static_cast<uint32_t>(options.traits->id);
  launch_.run_serial = options.first_run_serial;
  launch_.clusters = options.clusters;
  launch_.scheduler_threads = 1;
  launch_.registers = reinterpret_cast<uint64_t>(registers_);
  launch_.heap = reinterpret_cast<uint64_t>(heap_.get());
  launch_.sizes = options.sizes;
  launch_.orchestration_run = reinterpret_cast<uint64_t>(&taskmill_orchestration_run);
  launch_.orchestration_entry = reinterpret_cast<uint64_t>(&call_body);
  launch_.result = reinterpret_cast<uint64_t>(result_.get());
  launch_.kernel_limit_ns = options.kernel_limit_ns;
  launch_.stall_limit_ns = options.stall_limit_ns;
  if (options.trace) {
    launch_.trace_bytes = wire::trace_region_bytes(cores() + 2, options.trace_records_per_lane);
    trace_ = make_memory(launch_.trace_bytes);
    launch_.trace = reinterpret_cast<uint64_t>(trace_.get());
  }
}

void Chip::set_kernel(uint32_t id, Kernel kernel) {
  if (id >= functions_.size()) functions_.resize(id + 1);
  functions_[id] = reinterpret_cast<uint64_t>(kernel);
}

void Chip::add_tensor(void* data, std::initializer_list<uint32_t> shape, DataType dtype) {
  add_view(data, shape, dtype, static_cast<uint32_t>(tensors_.size()));
}

void Chip::add_view(void* data, const std::vector<uint32_t>& shape, DataType dtype, uint32_t root) {
  wire::EntryTensor tensor = {};
  tensor.descriptor =
      TensorDescriptor::row_major(reinterpret_cast<uint64_t>(data), dtype, shape.data(), static_cast<uint32_t>(shape.size()));
  tensor.buffer_bytes = tensor.descriptor.nbytes();
  tensor.root = root;
  tensors_.push_back(tensor);
}

RunReport Chip::run(const sim::SeededOptions& seeded, const Body& body) {
  sim::SeededExecutor executor(seeded);
  return run(executor, body);
}

RunReport Chip::run(sim::SeededExecutor& executor, const Body& body) {
  launch_.functions = reinterpret_cast<uint64_t>(functions_.data());
  launch_.function_count = static_cast<uint32_t>(functions_.size());
  launch_.entry_tensors = reinterpret_cast<uint64_t>(tensors_.data());
  launch_.entry_tensor_count = static_cast<uint32_t>(tensors_.size());
  launch_.entry_scalars = reinterpret_cast<uint64_t>(scalars_.data());
  launch_.entry_scalar_count = static_cast<uint32_t>(scalars_.size());
  const uint64_t bytes = aicpu::region_bytes(cores(), launch_.entry_tensor_count, launch_.sizes);
  if (!region_) {
    region_ = make_memory(bytes);
    launch_.region = reinterpret_cast<uint64_t>(region_.get());
    launch_.region_bytes = bytes;
  }
  current_chip = this;
  current_body = &body;
  Referee::current().begin(launch_.run_serial, options_.clusters, registers_);
  RunReport report;
  report.outcome = executor.run(refereed_entry(), core_program(), launch_);
  report.result = *reinterpret_cast<const wire::ResultBlock*>(result_.get());
  if (report.outcome.end != sim::RunEnd::kDeadlock) {
    EXPECT_EQ(report.result.run_serial, launch_.run_serial);
  }
  EXPECT_EQ(Referee::current().breaches(), "");
  ++launch_.run_serial;
  return report;
}

std::vector<wire::SpanRecord> Chip::spans(uint32_t lane) const {
  const auto* header = reinterpret_cast<const wire::TraceHeader*>(launch_.trace);
  const auto* lanes = reinterpret_cast<const wire::TraceLane*>(header + 1);
  const auto* records = reinterpret_cast<const wire::SpanRecord*>(lanes + header->lane_count);
  const auto* first = records + uint64_t{lane} * header->records_per_lane;
  return {first, first + lanes[lane].written};
}

uint64_t Chip::dropped_spans(uint32_t lane) const {
  const auto* header = reinterpret_cast<const wire::TraceHeader*>(launch_.trace);
  return reinterpret_cast<const wire::TraceLane*>(header + 1)[lane].dropped;
}

const wire::AicpuEntry& refereed_entry() {
  static const wire::AicpuEntry kEntry = {
      "tmr",
      [](const wire::LaunchBlock* launch) {
        const ChipOptions& options = Chip::current().options();
        Chip::current().see(launch);
        return aicpu::init_run(*launch, *options.traits, options.first_sequence);
      },
      [](const wire::LaunchBlock* launch, uint32_t thread) {
        Referee::current().before_pass(*launch);
        const wire::Step step = tmr::scheduler_step(launch, thread);
        Referee::current().after_pass(*launch);
        return step;
      },
      tmr::orchestrate,
  };
  return kEntry;
}

const wire::AicoreProgram& core_program() {
  static const wire::AicoreProgram kProgram = {wire::kProgramVersion, 0, aicore::core_step, aicore::core_trap};
  return kProgram;
}

// ---- schedules

size_t EverySchedule::choose(std::span<const sim::Unit> units) {
  if (forced_) {
    for (size_t i = 0; i < units.size(); ++i) {
      if (forced_(units[i])) return i;
    }
  }
  if (units.size() == 1) return 0;
  if (depth_ == path_.size()) path_.push_back({0, units.size()});
  return path_[depth_++].taken;
}

bool EverySchedule::next() {
  path_.resize(depth_);
  depth_ = 0;
  while (!path_.empty() && path_.back().taken + 1 == path_.back().of) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  ++count_;
  return true;
}

// ---- kernels

void add_one_kernel(int64_t* args) {
  const auto* in = data<float>(args, 0);
  auto* out = data<float>(args, 1);
  for (uint64_t i = 0; i < tensor(args, 1).numel(); ++i) out[i] = in[i] + 1;
}

void add_kernel(int64_t* args) {
  const auto* a = data<float>(args, 0);
  const auto* b = data<float>(args, 1);
  auto* out = data<float>(args, 2);
  for (uint64_t i = 0; i < tensor(args, 2).numel(); ++i) out[i] = a[i] + b[i];
}

void bump_kernel(int64_t* args) {
  auto* values = data<float>(args, 0);
  for (uint64_t i = 0; i < tensor(args, 0).numel(); ++i) values[i] += 1;
}

uint64_t& touched() {
  static uint64_t count = 0;
  return count;
}

void touch_kernel(int64_t* /*args*/) { ++touched(); }

}  // namespace taskmill::test
