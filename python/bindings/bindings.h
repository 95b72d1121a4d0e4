// What the files of the extension share. Every bound call that may take long runs without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "taskmill/result.h"

namespace taskmill::python {

// Carries an Error to the translator, which raises the Python exception of its code (taskmill/errors.py).
struct HostError {
  Error error;
};

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw HostError{std::move(result).error()};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Calls `call`, which returns a Result, with the GIL released, and unwraps what it returned with the GIL held.
template <class Call>
auto without_gil(Call&& call) {
  auto result = [&] {
    nanobind::gil_scoped_release released;
    return call();
  }();
  return unwrap(std::move(result));
}

void bind_errors(nanobind::module_& module);
void bind_tensors(nanobind::module_& module);
void bind_callables(nanobind::module_& module);
void bind_reports(nanobind::module_& module);
void bind_worker(nanobind::module_& module);

}  // namespace taskmill::python
