// A chip for device tests: memory for one run after another, and the seeded executor that drives the two device programs
// over it. A referee looks over the scheduler's shoulder and counts each breach of contracts 4 and 6 as a test failure.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "arch/find.h"
#include "driver/sim/seeded_executor.h"
#include "support/equal_rings.h"
#include "taskmill/kernel.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"
#include "wire/program.h"
#include "wire/run_error.h"
#include "wire/span_record.h"

namespace taskmill::test {

using Kernel = void (*)(int64_t* args);
using Body = std::function<void(const OrchestrationArgs&)>;

struct ChipOptions {
  const arch::ChipTraits* traits = &arch::kA2a3;
  uint32_t clusters = 1;
  wire::GraphSizes sizes = equal_rings({.task_window = 64, .argument_lines = 1024, .edge_nodes = 64, .reserved = 0, .heap_bytes = 1 << 20});
  uint64_t kernel_limit_ns = 0;
  uint64_t stall_limit_ns = 0;
  bool trace = false;
  uint32_t trace_records_per_lane = 64;
  uint32_t first_sequence = 1;
  uint64_t first_run_serial = 1;
};

struct RunReport {
  sim::SeededOutcome outcome;
  wire::ResultBlock result;

  ErrorCode code() const { return static_cast<ErrorCode>(result.error.code); }
  std::string message() const { return result.error.message; }
};

class Chip {
 public:
  explicit Chip(const ChipOptions& options);
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;

  uint32_t cores() const { return 3 * options_.clusters; }

  void set_kernel(uint32_t id, Kernel kernel);
  // An entry tensor over memory of the test's; the next index.
  void add_tensor(void* data, std::initializer_list<uint32_t> shape, DataType dtype);
  // Over memory of the entry tensor `root`, or with its own index a root itself.
  void add_view(void* data, const std::vector<uint32_t>& shape, DataType dtype, uint32_t root);
  void add_scalar(uint64_t bits) { scalars_.push_back(bits); }

  // One run of `body`, in the executor if one is given, else in one made for `seeded`.
  RunReport run(const sim::SeededOptions& seeded, const Body& body);
  RunReport run(sim::SeededExecutor& executor, const Body& body);

  // The block of the next run; a test may spoil it before run().
  wire::LaunchBlock& launch() { return launch_; }
  wire::CoreRegisters& registers(uint32_t core) { return registers_[core]; }
  std::vector<wire::SpanRecord> spans(uint32_t lane) const;
  uint64_t dropped_spans(uint32_t lane) const;
  // The region as the AICPU of the current or last run sees it.
  const wire::LaunchBlock* seen_launch() const { return seen_launch_; }

  // What the entries below are about: one chip runs at a time.
  static Chip& current();
  const ChipOptions& options() const { return options_; }
  void see(const wire::LaunchBlock* launch) { seen_launch_ = launch; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory make_memory(uint64_t bytes);

  ChipOptions options_;
  Memory region_, heap_, registers_memory_, result_, trace_;
  wire::CoreRegisters* registers_ = nullptr;
  std::vector<uint64_t> functions_;
  std::vector<wire::EntryTensor> tensors_;
  std::vector<uint64_t> scalars_;
  wire::LaunchBlock launch_ = {};
  const wire::LaunchBlock* seen_launch_ = nullptr;
};

// TMR's entry with the referee around its steps.
const wire::AicpuEntry& refereed_entry();
const wire::AicoreProgram& core_program();

// Walks through every schedule: give choose() to SeededHooks::choose, run, and go on while next() is true. Where `forced`
// picks a unit, there is no choice.
class EverySchedule {
 public:
  using Forced = std::function<bool(sim::Unit)>;
  explicit EverySchedule(Forced forced = {}) : forced_(std::move(forced)) {}

  size_t choose(std::span<const sim::Unit> units);
  bool next();
  uint64_t count() const { return count_; }

 private:
  struct Choice {
    size_t taken;
    size_t of;
  };
  Forced forced_;
  std::vector<Choice> path_;
  size_t depth_ = 0;
  uint64_t count_ = 1;
};

// Kernels of the tests.
//
// count: adds 1 to the u32 at scalar 0 behind `tensors` tensors. All others are built on float tensors.
void add_one_kernel(int64_t* args);  // (in, out): out = in + 1
void add_kernel(int64_t* args);      // (a, b, out): out = a + b
void bump_kernel(int64_t* args);     // (inout): += 1
void touch_kernel(int64_t* args);    // (): adds 1 to touched()
uint64_t& touched();

}  // namespace taskmill::test
