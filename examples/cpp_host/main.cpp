// A host program in C++: opens a simulated chip, compiles a kernel while it runs, runs it on host memory and on device memory, and
// prints results and reports. Its argument is the folder that holds orchestration.cpp and kernels/.
#include <taskmill/host.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace taskmill;

CallableSpec add_rounds(const std::filesystem::path& folder) {
  CallableSpec spec;
  spec.name = spec.function = "add_rounds";
  spec.orchestration = folder / "orchestration.cpp";
  spec.signature = {{Direction::kIn, "x", DataType::kFloat32}, {Direction::kOut, "y", DataType::kFloat32}};
  spec.scalar_count = 1;
  spec.kernels = {{.id = 0, .name = "add_one", .source = folder / "kernels" / "add_one.cpp"}};
  return spec;
}

void print(const char* where, const std::vector<float>& y, const RunReport& report) {
  const bool right = y == std::vector<float>(y.size(), 5.0f);
  const RoomReport& heap = report.rings[0].heap_bytes;
  std::cout << where << ": y[0] = " << y[0] << (right ? ", all equal" : ", NOT all equal") << "; " << report.tasks << " tasks, "
            << report.copied_in_bytes << " bytes in, " << report.copied_back_bytes << " bytes back\n"
            << "  buffers of the runtime: at most " << heap.peak << " bytes at a time, of " << heap.size << "\n";
}

Result<void> on_host_memory(Worker& worker, const CallableId& id) {
  const std::vector<float> x(1000, 2.0f);
  std::vector<float> y(x.size());
  const Argument arguments[] = {host_tensor(x), host_tensor(y), to_u64(uint64_t{3})};
  TASKMILL_ASSIGN(const RunReport report, worker.run(id, arguments));
  print("host memory", y, report);
  return {};
}

// The same, with memory that stays on the device from run to run.
Result<void> on_device_memory(Worker& worker, const CallableId& id) {
  std::vector<float> values(1000, 2.0f);
  const uint64_t bytes = values.size() * sizeof(float);
  TASKMILL_ASSIGN(const DeviceBuffer x, DeviceBuffer::make(worker, bytes));
  TASKMILL_ASSIGN(const DeviceBuffer y, DeviceBuffer::make(worker, bytes));
  TASKMILL_TRY(worker.copy_to(x.address(), values.data(), bytes));
  const Argument arguments[] = {x.tensor({1000}), y.tensor({1000}), to_u64(uint64_t{3})};
  TASKMILL_ASSIGN(const RunReport report, worker.run(id, arguments));
  TASKMILL_TRY(worker.copy_from(values.data(), y.address(), bytes));
  print("device memory", values, report);
  return {};
}

Result<void> run(const std::filesystem::path& folder) {
  TASKMILL_ASSIGN(const std::unique_ptr<Worker> worker, Worker::open({.platform = "a2a3sim", .home = TASKMILL_HOME_FOLDER}));
  TASKMILL_ASSIGN(const CallableId id, worker->register_callable(add_rounds(folder)));
  TASKMILL_TRY(on_host_memory(*worker, id));
  return on_device_memory(*worker, id);
}

}  // namespace

int main(int count, char** arguments) {
  const Result<void> done = run(count > 1 ? arguments[1] : ".");
  if (done) return 0;
  std::cerr << done.error().message << " [" << error_name(done.error().code) << ", " << static_cast<int>(done.error().code) << "]\n";
  return 1;
}
