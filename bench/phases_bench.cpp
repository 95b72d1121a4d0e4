// What one task costs in each phase, on one thread, with cores that run an empty kernel at once: the submit, then
// dispatch, core step and completion together. Costs of waking, of caches that move between CPUs and of the host's staging
// are left out; run_bench has them.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "arch/a2a3.h"
#include "device/aicore/core_step.h"
#include "device/aicpu/run_state.h"
#include "taskmill/orchestration.h"
#include "variant/tmr/aicpu/tmr_entry.h"
#include "wire/launch_block.h"
#include "wire/program.h"

namespace {

using namespace taskmill;

// CPU time of this thread: what others on the machine take is not counted.
double now_s() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

constexpr uint32_t kTasks = 8192;
constexpr uint32_t kTiles = 64;

// All cores of a chip behind ports that do nothing but their work.
class BenchChip {
 public:
  explicit BenchChip(void (*body)(const OrchestrationOps*, void*, const OrchestrationArgs*)) : tiles_(make(kTiles * 64)), functions_{1} {
    functions_[0] = reinterpret_cast<uint64_t>(+[](int64_t*) {});
    launch_.version = wire::kLaunchVersion;
    launch_.arch = static_cast<uint32_t>(arch::kA2a3.id);
    launch_.clusters = arch::kA2a3.clusters;
    launch_.scheduler_threads = 1;
    for (wire::RingSizes& ring : launch_.sizes.rings)
      ring = {.task_window = 2 * kTasks, .argument_lines = 32 * kTasks, .edge_nodes = kTasks, .reserved = 0, .heap_bytes = 1 << 20};
    launch_.orchestration_run = reinterpret_cast<uint64_t>(&run_body);
    launch_.orchestration_entry = reinterpret_cast<uint64_t>(body);
    describe_tiles();
    launch_.entry_tensors = reinterpret_cast<uint64_t>(&entry_);
    launch_.entry_tensor_count = 1;
    launch_.functions = reinterpret_cast<uint64_t>(functions_);
    launch_.function_count = 1;
    launch_.region_bytes = aicpu::region_bytes(cores(), 1, launch_.sizes);
    region_ = make(launch_.region_bytes);
    registers_ = make(cores() * sizeof(wire::CoreRegisters));
    heap_ = make(launch_.sizes.heap_bytes());
    result_ = make(sizeof(wire::ResultBlock));
    launch_.region = reinterpret_cast<uint64_t>(region_.get());
    launch_.registers = reinterpret_cast<uint64_t>(registers_.get());
    launch_.heap = reinterpret_cast<uint64_t>(heap_.get());
    launch_.result = reinterpret_cast<uint64_t>(result_.get());
    launch_.core_port = &core_port_;
    launch_.aicpu_port = &aicpu_port_;
  }

  // One run; adds the seconds of its two halves.
  void run(double* submit_s, double* schedule_s) {
    ++launch_.run_serial;
    if (aicpu::init_run(launch_, arch::kA2a3) != 0) std::abort();
    start_cores();
    const double start = now_s();
    tmr::orchestrate(&launch_);
    const double submitted = now_s();
    while (tmr::scheduler_step(&launch_, 0) != wire::Step::kDone) step_cores();
    const double end = now_s();
    step_cores();
    *submit_s += submitted - start;
    *schedule_s += end - submitted;
    if (reinterpret_cast<wire::ResultBlock*>(result_.get())->completed != kTasks) std::abort();
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory make(uint64_t bytes) {
    const uint64_t padded = align_up(bytes, kBufferAlignment);
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, padded));
    std::memset(memory, 0, padded);  // touched before anything is timed
    return Memory(memory);
  }

  static int32_t run_body(const OrchestrationOps* ops, void* self, void (*body)(const OrchestrationOps*, void*, const OrchestrationArgs*),
                          const OrchestrationArgs* args) {
    body(ops, self, args);
    return 0;
  }

  uint32_t cores() const { return arch::kA2a3.cores(); }

  void describe_tiles() {
    TensorDescriptor& d = entry_.descriptor;
    d.buffer.addr = reinterpret_cast<uint64_t>(tiles_.get());
    d.shapes[0] = kTiles;
    d.shapes[1] = 16;
    d.strides[0] = 16;
    d.strides[1] = 1;
    d.ndims = 2;
    d.dtype = DataType::kFloat32;
    d.is_contiguous = true;
    entry_.buffer_bytes = d.nbytes();
  }

  void start_cores() {
    contexts_.assign(cores(), {});
    runnable_ = CoreMask::range(0, cores());
    for (uint32_t core = 0; core < cores(); ++core) {
      wire::CoreContext& context = contexts_[core];
      context.launch = &launch_;
      context.port = &core_port_;
      context.region = launch_.region;
      context.registers = reinterpret_cast<wire::CoreRegisters*>(launch_.registers) + core;
      context.core = core;
      context.lane = arch::core_lane(core, launch_.clusters);
    }
    step_cores();
  }

  void step_cores() {
    while (!runnable_.empty()) {
      const uint32_t core = runnable_.take_first();
      while (aicore::core_step(&contexts_[core]) == wire::Step::kProgress) changed_.set(core);
    }
  }

  static BenchChip& of(void* context) { return *static_cast<BenchChip*>(context); }

  Memory tiles_, region_, registers_, heap_, result_;
  uint64_t functions_[1];
  wire::EntryTensor entry_ = {};
  wire::LaunchBlock launch_ = {};
  std::vector<wire::CoreContext> contexts_;
  CoreMask runnable_, changed_;
  wire::CorePort core_port_ = {
      .context = this,
      .dispatch =
          [](void* self, uint32_t core, uint32_t token) {
            of(self).contexts_[core].registers->send(token);
            of(self).runnable_.set(core);
          },
      .poll = [](void* self, uint32_t core) { return of(self).contexts_[core].registers->answer(); },
      .news =
          [](void* self, CoreMask* cores) {
            *cores &= of(self).changed_;
            of(self).changed_ &= ~*cores;
          },
      .publish = [](void*, const void*, uint64_t) {},
      .invalidate = [](void*, const void*, uint64_t) {},
      .clean = [](void*, const void*, uint64_t) {},
      .now_ns = [](void*) { return uint64_t{0}; },
  };
  wire::AicpuPort aicpu_port_ = {
      .context = this,
      .now_ns = [](void*) { return uint64_t{0}; },
      .arm_timer = [](void*, uint32_t, uint64_t) {},
      .block = [](void*, const uint32_t*, uint32_t) { return false; },
      .wake = [](void*, const uint32_t*) {},
      .notify = [](void*, uint32_t) {},
  };
};

void submit_all(const OrchestrationOps* ops, void* self, const Tensor* tensors, uint32_t count) {
  SubmitResult result;
  for (uint32_t i = 0; i < kTasks; ++i) {
    const TaskArgs args = TaskArgs().add_inout(tensors[i % count]);
    ops->submit(self, args.spec(0, CoreType::kAiv), result);
  }
}

// One task after the other, on the whole array.
void chain(const OrchestrationOps* ops, void* self, const OrchestrationArgs* args) { submit_all(ops, self, &args->tensor(0), 1); }

// 64 chains side by side, each on a tile of the array.
void tiles(const OrchestrationOps* ops, void* self, const OrchestrationArgs* args) {
  Tensor tensors[kTiles];
  for (uint32_t i = 0; i < kTiles; ++i) tensors[i] = args->tensor(0).rows(i);
  submit_all(ops, self, tensors, kTiles);
}

void phases(benchmark::State& state, void (*body)(const OrchestrationOps*, void*, const OrchestrationArgs*)) {
  BenchChip chip(body);
  double submit_s = 0, schedule_s = 0;
  chip.run(&submit_s, &schedule_s);  // warm
  submit_s = schedule_s = 0;
  for ([[maybe_unused]] auto _ : state) chip.run(&submit_s, &schedule_s);
  const double tasks = static_cast<double>(state.iterations()) * kTasks;
  state.counters["submit_ns"] = 1e9 * submit_s / tasks;
  state.counters["schedule_ns"] = 1e9 * schedule_s / tasks;
}
BENCHMARK_CAPTURE(phases, chain, chain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(phases, tiles, tiles)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
