// One run of a graph of `tasks` adds, for tools/check_cost.py to count instructions in.
//
//   cost_graph chain|fan|tiles|writers|held|slices|readers|views tasks
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "taskmill/host.h"

namespace {

using namespace taskmill;

// What callgrind can follow, whatever this machine has.
const std::vector<std::string> kPortable = {"-march=x86-64-v3"};

int run(const std::string& graph, uint64_t tasks) {
  auto worker = Worker::open(WorkerOptions());
  if (!worker) return std::fprintf(stderr, "%s\n", worker.error().message.c_str()), 1;
  const std::filesystem::path sources = TASKMILL_COST_SOURCES;
  KernelSource add;
  add.name = "add";
  add.source = sources / "add_kernel.cpp";
  add.flags = kPortable;
  CallableSpec spec;
  spec.name = spec.function = graph;
  spec.orchestration = sources / "graphs.cpp";
  spec.signature = {{Direction::kInout, "tiles", DataType::kFloat32}};
  spec.scalar_count = 1;
  KernelSource touch = add;
  touch.id = 1;
  touch.name = "touch";
  touch.source = sources / "touch_kernel.cpp";
  spec.kernels = {add, touch};
  spec.orchestration_flags = kPortable;
  const auto callable = (*worker)->register_callable(spec);
  if (!callable) return std::fprintf(stderr, "%s\n", callable.error().message.c_str()), 1;
  const uint32_t rows = graph == "writers" || graph == "held" || graph == "slices" ? static_cast<uint32_t>(tasks) : 64;
  std::vector<float> tiles(rows * 16, 0.0F);
  const Argument arguments[] = {HostTensor{tiles.data(), tiles.size() * sizeof(float), {rows, 16}, DataType::kFloat32}, tasks};
  const auto report = (*worker)->run(*callable, arguments);
  if (!report) return std::fprintf(stderr, "%s\n", report.error().message.c_str()), 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: cost_graph chain|fan|tiles|writers|held|slices|readers|views tasks\n"), 2;
  return run(argv[1], std::strtoull(argv[2], nullptr, 10));
}
