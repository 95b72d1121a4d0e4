/// @file
/// What an orchestration includes. An orchestration is a function that submits tasks; the runtime infers their order from
/// the tensors that they read and write, and runs them while the function goes on:
///
/// ```cpp
/// #include <taskmill/orchestration.h>
/// using namespace taskmill;
/// extern "C" void add_twice(const OrchestrationArgs& args) {
///   const Tensor& a = args.tensor(0);
///   const Tensor& out = args.tensor(1);
///   TASKMILL_SCOPE() {
///     const TensorSpec like_a(a.shapes, a.ndims, a.dtype);
///     const Outputs sum = submit_aiv_task(0, TaskArgs().add_input(a, a).add_output(like_a));
///     submit_aiv_task(0, TaskArgs().add_input(a, sum[0]).add_output(out));
///   }
/// }
/// ```
///
/// The entry runs inside an AUTO scope. After a fatal error submits do nothing; the entry is not unwound.
/// Not thread-safe: call from the orchestration's own thread only.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "taskmill/error.h"
#include "taskmill/tensor.h"

namespace taskmill {

/// How a task uses a tensor. Numbers are the ecosystem's (API specification, section 1.3).
enum class ArgumentMode : uint32_t {
  kInput = 0,           ///< reads an existing tensor
  kOutput = 1,          ///< a buffer that the runtime makes, returned by submit
  kInout = 2,           ///< reads and writes an existing tensor
  kOutputExisting = 3,  ///< writes an existing tensor, reads nothing
  kNoDependency = 4,    ///< an existing tensor that orders nothing here: the task follows its buffer's maker only
};

/// A cube core (AIC, for matrices) or a vector core (AIV).
enum class CoreType : uint8_t { kAic = 0, kAiv = 1 };

/// Which earlier accesses to the same bytes a task follows. A callable is registered with its rules.
enum class DependencyRules : uint32_t {
  kNative,     ///< a reader follows the writers before it, a writer the writers and readers before it
  kEcosystem,  ///< nothing follows a reader; what only writes an existing tensor follows the task that made its buffer
};
constexpr uint32_t kDependencyRules = 2;  ///< values of DependencyRules

/// One tensor of a submit.
struct TensorArgument {
  ArgumentMode mode;  ///< says which of the two pointers holds
  union {
    const Tensor* tensor;    ///< kInput, kInout, kOutputExisting, kNoDependency
    const TensorSpec* spec;  ///< kOutput
  };
};

/// What a task does.
enum class TaskKind : uint8_t {
  kKernel,      ///< runs a kernel
  kOrderOnly,   ///< runs nothing: follows and is followed as its arguments and dependencies say
  kAllocation,  ///< makes buffers, and is complete at once
};

/// Everything that one submit says. Tensors, specs and dependencies are borrowed until the submit returns.
struct TaskSpec {
  int32_t kernel_id;                        ///< of a kKernel
  CoreType core_type;                       ///< of a kKernel
  TaskKind kind;                            ///< what the task does
  uint32_t tensor_count;                    ///< tensors that were added, also beyond kMaxTaskTensors
  uint32_t scalar_count;                    ///< scalars that were added, also beyond kMaxTaskScalars
  bool tensor_after_scalar;                 ///< the order that a submit refuses
  uint32_t dependency_count;                ///< how many dependencies; at most 65,535
  const uint64_t* dependencies;             ///< ids of earlier tasks that this one follows; their buffers are kept for it
  TensorArgument tensors[kMaxTaskTensors];  ///< in the order added
  uint64_t scalars[kMaxTaskScalars];        ///< their bits, in the order added
};

/// Who says in which order the tasks of a scope run.
enum class ScopeMode : uint8_t {
  kAuto,    ///< tasks follow each other as their tensors say
  kManual,  ///< tasks follow each other as their dependencies say; holds kManual scopes only
};

/// What a submit gives back.
struct SubmitResult {
  uint64_t task_id;                 ///< names the task for the rest of the run; kNoTask after a fatal error
  uint32_t output_count;            ///< kOutput arguments of the task
  Tensor outputs[kMaxTaskTensors];  ///< one per kOutput argument, in the order added
};

/// The runtime's side of an orchestration, which the functions below call; bound by the support source that is linked into every
/// orchestration object. The first argument of each is OrchestrationBinding::self.
struct OrchestrationOps {
  uint32_t version;                                                                                   ///< kOrchestrationOpsVersion
  void (*submit)(void* self, const TaskSpec& spec, SubmitResult& result);                             ///< taskmill::submit
  void (*scope_begin)(void* self, const char* file, uint32_t line, ScopeMode mode);                   ///< a ScopeGuard begins
  void (*scope_end)(void* self);                                                                      ///< a ScopeGuard ends
  void (*report_fatal)(void* self, int32_t code, const char* message);                                ///< taskmill::report_fatal
  bool (*is_fatal)(void* self);                                                                       ///< taskmill::is_fatal
  uint64_t (*read_element)(void* self, const Tensor& tensor, uint32_t ndims, const uint32_t* index);  ///< get_tensor_data
  void (*write_element)(void* self, const Tensor& tensor, uint32_t ndims, const uint32_t* index, uint64_t value);  ///< set_tensor_data
};
constexpr uint32_t kOrchestrationOpsVersion = 2;  ///< grows when OrchestrationOps changes; BadLaunchBlock where it differs

/// How an orchestration reaches the runtime that called it.
struct OrchestrationBinding {
  const OrchestrationOps* ops;  ///< the runtime's functions
  void* self;                   ///< what they take first
};
/// The binding of the orchestration that this source is part of.
extern "C" __attribute__((visibility("hidden"))) OrchestrationBinding taskmill_orchestration_binding;

/// The arguments of a run: tensors first, then scalars, in the order of the callable's signature.
class OrchestrationArgs {
 public:
  /// Borrows both arrays; made by the runtime.
  OrchestrationArgs(const Tensor* tensors, uint32_t tensor_count, const uint64_t* scalars, uint32_t scalar_count)
      : tensors_(tensors), scalars_(scalars), tensor_count_(tensor_count), scalar_count_(scalar_count) {}
  /// Tensor argument `index`. REQUIRES: index < tensor_count().
  const Tensor& tensor(uint32_t index) const { return tensors_[index]; }
  /// Scalar argument `index`, the tensors not counted. Bits are copied: ask for the type that was passed. REQUIRES: index <
  /// scalar_count().
  template <class T = uint64_t>
  T scalar(uint32_t index) const {
    return from_u64<T>(scalars_[index]);
  }
  /// Tensors of the callable's signature.
  uint32_t tensor_count() const { return tensor_count_; }
  /// Scalars of the callable.
  uint32_t scalar_count() const { return scalar_count_; }

 private:
  const Tensor* tensors_;
  const uint64_t* scalars_;
  uint32_t tensor_count_;
  uint32_t scalar_count_;
};

/// A Tensor, or a reference to one.
template <class T>
concept TensorValue = std::derived_from<std::remove_cvref_t<T>, Tensor>;

/// Collects the arguments of one submit: tensors before scalars, at most kMaxTaskTensors and kMaxTaskScalars. Breaking a
/// rule is told by the submit (InvalidArgs). Tensors, specs and dependencies are borrowed until the submit: in one expression with
/// it they may be temporaries, a TaskArgs with a name takes only what has a name too.
class TaskArgs {
 public:
  /// Existing tensors that the task reads.
  template <TensorValue... T>
  TaskArgs& add_input(T&&... tensors) & {
    return borrow<T...>(ArgumentMode::kInput, tensors...);
  }
  template <TensorValue... T>
  TaskArgs&& add_input(const T&... tensors) && {
    return std::move(add_all(ArgumentMode::kInput, tensors...));
  }
  /// Existing tensors that the task reads and writes.
  template <TensorValue... T>
  TaskArgs& add_inout(T&&... tensors) & {
    return borrow<T...>(ArgumentMode::kInout, tensors...);
  }
  template <TensorValue... T>
  TaskArgs&& add_inout(const T&... tensors) && {
    return std::move(add_all(ArgumentMode::kInout, tensors...));
  }
  /// Existing tensors that the task writes; for each TensorSpec a buffer that the runtime makes.
  template <class... T>
  TaskArgs& add_output(T&&... tensors_or_specs) & {
    return borrow<T...>(ArgumentMode::kOutputExisting, tensors_or_specs...);
  }
  template <class... T>
  TaskArgs&& add_output(const T&... tensors_or_specs) && {
    return std::move(add_all(ArgumentMode::kOutputExisting, tensors_or_specs...));
  }
  /// Existing tensors that the task reads or writes without following their other users. Later tasks follow it.
  template <TensorValue... T>
  TaskArgs& add_no_dependency(T&&... tensors) & {
    return borrow<T...>(ArgumentMode::kNoDependency, tensors...);
  }
  template <TensorValue... T>
  TaskArgs&& add_no_dependency(const T&... tensors) && {
    return std::move(add_all(ArgumentMode::kNoDependency, tensors...));
  }
  /// Numbers or enumerators of at most 8 bytes; the kernel reads each with scalar<T> of its own type.
  template <class... T>
  TaskArgs& add_scalar(T... values) & {
    (add_one_scalar(values), ...);
    return *this;
  }
  template <class... T>
  TaskArgs&& add_scalar(T... values) && {
    (add_one_scalar(values), ...);
    return std::move(*this);
  }
  /// The task follows these tasks too: `count` ids that earlier submits gave. Replaces what was set before.
  TaskArgs& set_dependencies(const uint64_t* task_ids, uint32_t count) & {
    spec_.dependencies = task_ids;
    spec_.dependency_count = count;
    return *this;
  }
  TaskArgs&& set_dependencies(const uint64_t* task_ids, uint32_t count) && {
    return std::move(set_dependencies(task_ids, count));  // *this is an lvalue here
  }
  /// What the submit functions hand over. Borrowed from this.
  const TaskSpec& spec(int32_t kernel_id, CoreType core_type, TaskKind kind = TaskKind::kKernel) const {
    spec_.kernel_id = kernel_id;
    spec_.core_type = core_type;
    spec_.kind = kind;
    return spec_;
  }

 private:
  TensorArgument* next() {
    spec_.tensor_after_scalar |= spec_.scalar_count > 0;
    const uint32_t index = spec_.tensor_count++;  // counted past the limit, so that the error can name the number
    return index < kMaxTaskTensors ? &spec_.tensors[index] : nullptr;
  }
  template <class... T, class... Argument>
  TaskArgs& borrow(ArgumentMode mode, Argument&... arguments) {
    static_assert((std::is_lvalue_reference_v<T> && ...),
                  "a temporary ends before the submit: give it a name, or submit in one expression");
    return add_all(mode, arguments...);
  }
  template <class... T>
  TaskArgs& add_all(ArgumentMode mode, const T&... arguments) {
    (add(mode, arguments), ...);
    return *this;
  }
  void add(ArgumentMode mode, const Tensor& tensor) {
    if (TensorArgument* argument = next()) {
      argument->mode = mode;
      argument->tensor = &tensor;
    }
  }
  /// REQUIRES: an output.
  void add(ArgumentMode, const TensorSpec& spec) {
    if (TensorArgument* argument = next()) {
      argument->mode = ArgumentMode::kOutput;
      argument->spec = &spec;
    }
  }
  template <class T>
  void add_one_scalar(T value) {
    static_assert((std::is_arithmetic_v<T> || std::is_enum_v<T>)&&sizeof(T) <= sizeof(uint64_t));
    const uint32_t index = spec_.scalar_count++;
    if (index >= kMaxTaskScalars) return;
    spec_.scalars[index] = to_u64(value);
  }

  mutable TaskSpec spec_ = {};
};

/// What a submit made: its id and its output tensors (kOutput arguments only, in the order added).
class Outputs {
 public:
  /// For TaskArgs::set_dependencies of later tasks; kNoTask after a fatal error.
  uint64_t task_id() const { return result_.task_id; }
  /// Number of output tensors.
  uint32_t size() const { return result_.output_count; }
  /// Output tensor `index`. REQUIRES: index < size(), or a fatal error happened (then the tensor is empty and later submits ignore it).
  const Tensor& operator[](uint32_t index) const& { return result_.outputs[index]; }
  const Tensor& operator[](uint32_t index) const&& = delete;

 private:
  friend Outputs submit(const TaskSpec& spec);
  SubmitResult result_;
};

/// Submits one task: the functions below are what to call. A mistake ends the run (InvalidArgs, UnknownKernel); room that can never be
/// found too (codes 1 to 3, docs/errors.md). Waits while the rings of the scope depth are full.
inline Outputs submit(const TaskSpec& spec) {
  Outputs outputs;
  taskmill_orchestration_binding.ops->submit(taskmill_orchestration_binding.self, spec, outputs.result_);
  return outputs;
}

/// Runs kernel `kernel_id` of the callable on a cube core (AIC). UnknownKernel: no such kernel, or one for the other kind of core.
inline Outputs submit_aic_task(int32_t kernel_id, const TaskArgs& args) { return submit(args.spec(kernel_id, CoreType::kAic)); }
/// Runs kernel `kernel_id` of the callable on a vector core (AIV). Errors as of submit_aic_task.
inline Outputs submit_aiv_task(int32_t kernel_id, const TaskArgs& args) { return submit(args.spec(kernel_id, CoreType::kAiv)); }

/// Runs nothing: a point that other tasks follow and that follows them.
inline Outputs submit_order_task(const TaskArgs& args) { return submit(args.spec(0, CoreType::kAiv, TaskKind::kOrderOnly)); }
/// Buffers that no task has written yet, as the outputs of one task that is complete at once.
template <class... Specs>
Outputs alloc_tensors(const Specs&... specs) {
  return submit(TaskArgs().add_output(specs...).spec(0, CoreType::kAiv, TaskKind::kAllocation));
}

/// Element `index` (ndims numbers; none: the first) of a tensor, as T. Waits for the tasks that write it, and no others.
/// 0 after a fatal error. InvalidArgs: another number of indices than dimensions, or one outside the tensor.
template <class T = uint64_t>
T get_tensor_data(const Tensor& tensor, uint32_t ndims, const uint32_t* index) {
  const OrchestrationBinding& binding = taskmill_orchestration_binding;
  return from_u64<T>(binding.ops->read_element(binding.self, tensor, ndims, index));
}
/// Writes an element, as many bytes of `value` as it has. Waits for the tasks that read or write it, and no others.
/// Errors as of get_tensor_data.
template <class T = uint64_t>
void set_tensor_data(const Tensor& tensor, uint32_t ndims, const uint32_t* index, T value) {
  const OrchestrationBinding& binding = taskmill_orchestration_binding;
  binding.ops->write_element(binding.self, tensor, ndims, index, to_u64(value));
}

/// Ends the run with ExplicitOrchFatal (or `code`, if it is a code of error.h); the first fatal error of a run wins.
inline void report_fatal(const char* message, ErrorCode code = ErrorCode::kExplicitOrchFatal) {
  taskmill_orchestration_binding.ops->report_fatal(taskmill_orchestration_binding.self, static_cast<int32_t>(code), message);
}
/// True once the run has failed: time to return. Submits do nothing from then on.
inline bool is_fatal() { return taskmill_orchestration_binding.ops->is_fatal(taskmill_orchestration_binding.self); }

/// Owns the buffers made while it lives. Ending a scope is not a barrier: buffers go when their last reader is done.
class ScopeGuard {
 public:
  /// Begins a scope, at most 64 deep; the place is for messages. InvalidArgs: deeper, or kAuto inside kManual.
  explicit ScopeGuard(ScopeMode mode = ScopeMode::kAuto, const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) {
    taskmill_orchestration_binding.ops->scope_begin(taskmill_orchestration_binding.self, file, line, mode);
  }
  /// Ends it.
  ~ScopeGuard() { taskmill_orchestration_binding.ops->scope_end(taskmill_orchestration_binding.self); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
};

}  // namespace taskmill

/// A block that is a scope: `TASKMILL_SCOPE() { … }` or `TASKMILL_SCOPE(ScopeMode::kManual) { … }`.
#define TASKMILL_SCOPE(...) if (::taskmill::ScopeGuard taskmill_scope_guard{__VA_ARGS__}; true)
