#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "taskmill/host.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace taskmill::python {
namespace {

std::unique_ptr<Worker> open_worker(std::string platform, int32_t device_id, std::optional<std::filesystem::path> cache_directory) {
  WorkerOptions options;
  options.platform = std::move(platform);
  options.device_id = device_id;
  if (cache_directory) options.cache_directory = *std::move(cache_directory);
  return without_gil([&] { return Worker::open(std::move(options)); });
}

std::string register_callable(Worker& worker, const CallableSpec& spec) {
  return without_gil([&] { return worker.register_callable(spec); }).digest;
}

void unregister_callable(Worker& worker, const std::string& digest) {
  without_gil([&] { return worker.unregister_callable(CallableId{digest}); });
}

RunReport run(Worker& worker, const std::string& digest, const std::vector<Argument>& arguments, const RunConfig& config) {
  return without_gil([&] { return worker.run(CallableId{digest}, arguments, config); });
}

DeviceAddress malloc_device(Worker& worker, uint64_t bytes) {
  return without_gil([&] { return worker.malloc(bytes); });
}

void free_device(Worker& worker, DeviceAddress address) {
  without_gil([&] { return worker.free(address); });
}

void copy_to(Worker& worker, DeviceAddress destination, uintptr_t source, uint64_t bytes) {
  without_gil([&] { return worker.copy_to(destination, reinterpret_cast<const void*>(source), bytes); });
}

void copy_from(Worker& worker, uintptr_t destination, DeviceAddress source, uint64_t bytes) {
  without_gil([&] { return worker.copy_from(reinterpret_cast<void*>(destination), source, bytes); });
}

}  // namespace

void bind_worker(nb::module_& module) {
  nb::class_<Worker>(module, "Worker")
      .def_static("open", &open_worker, "platform"_a, "device_id"_a, "cache_directory"_a.none())
      .def("close", [](Worker& worker) { without_gil([&] { return worker.close(); }); })
      .def("is_open", &Worker::is_open)
      .def("device_info", &Worker::device_info, nb::rv_policy::copy)
      .def("statistics", &Worker::statistics)
      .def("register_callable", &register_callable, "spec"_a)
      .def("unregister_callable", &unregister_callable, "digest"_a)
      .def("run", &run, "digest"_a, "arguments"_a, "config"_a)
      .def("malloc", &malloc_device, "bytes"_a)
      .def("free", &free_device, "address"_a)
      .def("copy_to", &copy_to, "destination"_a, "source"_a, "bytes"_a)
      .def("copy_from", &copy_from, "destination"_a, "source"_a, "bytes"_a);
}

}  // namespace taskmill::python
