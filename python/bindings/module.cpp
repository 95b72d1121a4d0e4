#include "bindings.h"

NB_MODULE(_taskmill, module) {
  module.doc() = "Bindings of the C++ host API (taskmill/host.h). Use the package taskmill instead.";
  using namespace taskmill::python;
  bind_errors(module);
  bind_tensors(module);
  bind_callables(module);
  bind_reports(module);
  bind_worker(module);
}
