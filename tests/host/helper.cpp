// host_test_helper RUNS: a process with one worker on a whole simulated chip that runs a 20-task graph RUNS times. Prints
// "ok" and ends with 0 if every result was right.
#include <cstdio>
#include <cstdlib>

#include "host/programs.h"

namespace {

using namespace taskmill;
using namespace taskmill::testing_support;

int failed(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1;
  const Result<std::unique_ptr<Worker>> worker = Worker::open({});
  if (!worker) return failed(worker.error());
  const Result<CallableId> id = (*worker)->register_callable(pairs());
  if (!id) return failed(id.error());
  for (int run = 0; run < runs; ++run) {
    std::vector<float> in(64, static_cast<float>(run)), sum(64, 0.0f);
    const std::vector<Argument> arguments = {host_tensor(in), host_tensor(sum), uint64_t{10}};
    const Result<RunReport> report = (*worker)->run(*id, arguments);
    if (!report) return failed(report.error());
    if (report->tasks != 20 || sum != std::vector<float>(64, pairs_result(10, static_cast<float>(run)))) {
      std::fprintf(stderr, "run %d: wrong result\n", run);
      return 1;
    }
  }
  std::puts("ok");
  return 0;
}
