#include <nanobind/stl/vector.h>

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "bindings.h"
#include "taskmill/host.h"
#include "taskmill/tensor.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace taskmill::python {
namespace {

void bind_data_type(nb::module_& module) {
  nb::enum_<DataType> data_type(module, "DataType");
  for (uint32_t number = 0; number < kDataTypeCount; ++number) {
    const auto type = static_cast<DataType>(number);
    data_type.value(data_type_name(type), type);
  }
  module.def("element_bytes", &element_bytes, "dtype"_a);
}

}  // namespace

void bind_tensors(nb::module_& module) {
  bind_data_type(module);
  nb::class_<HostTensor>(module, "HostTensor")
      .def(
          "__init__",
          [](HostTensor* self, uintptr_t address, uint64_t bytes, std::vector<uint32_t> shape, DataType dtype) {
            new (self) HostTensor{reinterpret_cast<void*>(address), bytes, std::move(shape), dtype};
          },
          "address"_a, "bytes"_a, "shape"_a, "dtype"_a);
  nb::class_<DeviceTensor>(module, "DeviceTensor")
      .def(
          "__init__",
          [](DeviceTensor* self, DeviceAddress address, std::vector<uint32_t> shape, DataType dtype) {
            new (self) DeviceTensor{address, std::move(shape), dtype};
          },
          "address"_a, "shape"_a, "dtype"_a);
}

}  // namespace taskmill::python
