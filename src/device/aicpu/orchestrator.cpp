#include "device/aicpu/orchestrator.h"

#include "device/aicpu/error_report.h"
#include "trace/trace.h"

namespace taskmill::aicpu {
namespace {

using Runner = int32_t (*)(const OrchestrationOps*, void*, uint64_t, const OrchestrationArgs*);

bool is_known(int32_t code) { return code != 0 && error_meaning(static_cast<ErrorCode>(code))[0] != '\0'; }

}  // namespace

void OrchestratorEnvironment::init(SharedState* shared) {
  shared_ = shared;
  abandoned_ = false;
}

void OrchestratorEnvironment::ready(uint32_t slot) {
  constexpr uint32_t kThread = 0;
  shared_->inbox[kThread].push(shared_->graph.slots, slot);
  shared_->aicpu().notify(shared_->aicpu().context, kThread);
}

bool OrchestratorEnvironment::wait_completed(uint64_t seen) {
  const uint64_t start_ns = trace_clock_ns();
  abandoned_ |= !shared_->progress.sleep_unless(shared_->aicpu(), [&] { return completed() != seen || fatal(); });
  record(wire::SpanKind::kBlocked, start_ns);
  return !abandoned_;
}

void OrchestratorEnvironment::publish(const void* address, uint64_t bytes) {
  shared_->cores().publish(shared_->cores().context, address, bytes);
}

void OrchestratorEnvironment::invalidate(const void* address, uint64_t bytes) {
  shared_->cores().invalidate(shared_->cores().context, address, bytes);
}

uint64_t OrchestratorEnvironment::trace_clock_ns() const {
  return shared_->launch->trace == 0 ? 0 : shared_->aicpu().now_ns(shared_->aicpu().context);
}

void OrchestratorEnvironment::record(wire::SpanKind kind, uint64_t start_ns) const {
  const wire::LaunchBlock& launch = *shared_->launch;
  if (launch.trace == 0) return;
  wire::SpanRecord span = {};
  span.start_ns = start_ns;
  span.end_ns = trace_clock_ns();
  span.kernel_id = -1;
  span.kind = kind;
  trace::On(launch.trace).span(3 * launch.clusters + launch.scheduler_threads, span);
}

const OrchestrationOps Orchestrator::kOps = {
    .version = kOrchestrationOpsVersion,
    .submit = [](void* self, const TaskSpec& spec,
                 SubmitResult& result) { static_cast<Orchestrator*>(self)->builder_.submit(spec, result); },
    .scope_begin = [](void* self, const char* file, uint32_t line,
                      ScopeMode mode) { static_cast<Orchestrator*>(self)->builder_.scope_begin(file, line, mode); },
    .scope_end = [](void* self) { static_cast<Orchestrator*>(self)->builder_.scope_end(); },
    .report_fatal = [](void* self, int32_t code, const char* message) { static_cast<Orchestrator*>(self)->report_fatal(code, message); },
    .is_fatal = [](void* self) { return static_cast<Orchestrator*>(self)->builder_.fatal(); },
    .read_element = [](void* self, const Tensor& tensor, uint32_t ndims, const uint32_t* index) -> uint64_t {
      return static_cast<Orchestrator*>(self)->builder_.read_element(tensor, ndims, index);
    },
    .write_element = [](void* self, const Tensor& tensor, uint32_t ndims, const uint32_t* index,
                        uint64_t value) { static_cast<Orchestrator*>(self)->builder_.write_element(tensor, ndims, index, value); },
};

void Orchestrator::init(SharedState* shared) {
  shared_ = shared;
  environment_.init(shared);
  builder_.init(shared->graph, environment_, *shared->launch);
}

void Orchestrator::run() {
  const wire::LaunchBlock& launch = *shared_->launch;
  const uint64_t start_ns = environment_.trace_clock_ns();
  const OrchestrationArgs args(builder_.entry_tensors(), launch.entry_tensor_count, reinterpret_cast<const uint64_t*>(launch.entry_scalars),
                               launch.entry_scalar_count);
  const auto runner = reinterpret_cast<Runner>(launch.orchestration_run);
  const int32_t code = runner(&kOps, this, launch.orchestration_entry, &args);
  if (code != 0) report_fatal(code, "the orchestration's runner refused to run it");
  builder_.finish();
  environment_.record(wire::SpanKind::kOrchestration, start_ns);
  shared_->end.announce(builder_.submitted());
  shared_->notify_schedulers();
}

void Orchestrator::report_fatal(int32_t code, const char* message) {
  wire::RunError error = make_error(is_known(code) ? static_cast<ErrorCode>(code) : ErrorCode::kExplicitOrchFatal, wire::Reason::kReported);
  if (error.code == static_cast<int32_t>(ErrorCode::kOrchestrationThrew)) error.reason = wire::Reason::kThrew;
  set_message(&error, message);
  builder_.fail(error);
}

}  // namespace taskmill::aicpu
