// Compiled into every orchestration object, together with the user's source: holds the binding that the functions of
// orchestration.h call through, and runs the entry so that no exception leaves the object.
#include <cstdint>
#include <exception>

#include "taskmill/orchestration.h"

namespace taskmill {

OrchestrationBinding taskmill_orchestration_binding = {nullptr, nullptr};

namespace {

int32_t threw(const char* what) {
  const auto code = static_cast<int32_t>(ErrorCode::kOrchestrationThrew);
  taskmill_orchestration_binding.ops->report_fatal(taskmill_orchestration_binding.self, code, what);
  return code;
}

int32_t run_entry(void (*entry)(const OrchestrationArgs&), const OrchestrationArgs& args) {
  try {
    entry(args);
    return static_cast<int32_t>(ErrorCode::kOk);
  } catch (const std::exception& error) {
    return threw(error.what());
  } catch (...) {
    return threw("unknown");
  }
}

}  // namespace
}  // namespace taskmill

// LaunchBlock::orchestration_run. One run at a time per object: the caller serialises the runs of a callable.
extern "C" __attribute__((visibility("default"))) int32_t taskmill_orchestration_run(const taskmill::OrchestrationOps* ops, void* self,
                                                                                     void (*entry)(const taskmill::OrchestrationArgs&),
                                                                                     const taskmill::OrchestrationArgs* args) {
  using taskmill::taskmill_orchestration_binding;
  if (ops->version != taskmill::kOrchestrationOpsVersion) return static_cast<int32_t>(taskmill::ErrorCode::kBadLaunchBlock);
  taskmill_orchestration_binding = {ops, self};
  const int32_t code = taskmill::run_entry(entry, *args);
  taskmill_orchestration_binding = {nullptr, nullptr};
  return code;
}
