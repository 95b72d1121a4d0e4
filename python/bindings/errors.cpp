#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "taskmill/error.h"

namespace nb = nanobind;

namespace taskmill::python {
namespace {

using Row = std::tuple<int, std::string, std::string, std::string>;

std::vector<Row> error_table() {
  return {
#define TASKMILL_X(number, name, state, meaning) Row{number, #name, #state, meaning},
      TASKMILL_ERROR_CODES(TASKMILL_X)
#undef TASKMILL_X
  };
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const HostError& raised) {
    const Error& error = raised.error;
    const nb::object exception =
        nb::module_::import_("taskmill.errors").attr("error_of_code")(static_cast<int>(error.code), error.message.c_str());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  nb::register_exception_translator(translate);
  module.def("error_table", &error_table, "Rows (number, name, 'active' or 'reserved', meaning) of the table of error codes.");
}

}  // namespace taskmill::python
