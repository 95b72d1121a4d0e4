#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <new>
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

void bind_signature(nb::module_& module) {
  nb::enum_<Direction>(module, "Direction").value("IN", Direction::kIn).value("OUT", Direction::kOut).value("INOUT", Direction::kInout);
  nb::class_<ArgumentSignature>(module, "ArgumentSignature")
      .def(
          "__init__",
          [](ArgumentSignature* self, Direction direction, std::string name, std::optional<DataType> dtype) {
            new (self) ArgumentSignature{direction, std::move(name), dtype};
          },
          "direction"_a, "name"_a, "dtype"_a.none());
}

void bind_rules(nb::module_& module) {
  nb::enum_<DependencyRules>(module, "DependencyRules")
      .value("NATIVE", DependencyRules::kNative)
      .value("ECOSYSTEM", DependencyRules::kEcosystem);
}

void bind_kernel_source(nb::module_& module) {
  nb::enum_<CoreType>(module, "CoreType").value("AIC", CoreType::kAic).value("AIV", CoreType::kAiv);
  nb::class_<KernelSource>(module, "KernelSource")
      .def(
          "__init__",
          [](KernelSource* self, int32_t id, std::string name, std::filesystem::path source, CoreType core_type,
             std::vector<std::string> flags) {
            new (self) KernelSource{id, std::move(name), std::move(source), core_type, std::move(flags)};
          },
          "id"_a, "name"_a, "source"_a, "core_type"_a, "flags"_a);
}

}  // namespace

void bind_callables(nb::module_& module) {
  bind_signature(module);
  bind_rules(module);
  bind_kernel_source(module);
  nb::class_<CallableSpec>(module, "CallableSpec")
      .def(nb::init<>())
      .def_rw("name", &CallableSpec::name)
      .def_rw("orchestration", &CallableSpec::orchestration)
      .def_rw("function", &CallableSpec::function)
      .def_rw("signature", &CallableSpec::signature)
      .def_rw("scalar_count", &CallableSpec::scalar_count)
      .def_rw("kernels", &CallableSpec::kernels)
      .def_rw("orchestration_flags", &CallableSpec::orchestration_flags)
      .def_rw("dependency_rules", &CallableSpec::dependency_rules);
}

}  // namespace taskmill::python
