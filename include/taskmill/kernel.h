/// @file
/// What a kernel includes. A kernel is one function that one AICore runs for one task:
///
/// ```cpp
/// #include <taskmill/kernel.h>
/// extern "C" void kernel_entry(int64_t* args) {
///   const float* a = taskmill::data<float>(args, 0);
///   float* out = taskmill::data<float>(args, 1);
///   const auto n = taskmill::tensor(args, 1).numel();
///   for (uint64_t i = 0; i < n; ++i) out[i] = a[i] + taskmill::scalar<float>(args, 2);
/// }
/// ```
///
/// `args` holds kArgumentSlots words: the address of a TensorDescriptor per tensor argument in the order they were added,
/// then the scalars' bits, and at the two last places the contexts below. Descriptors stay valid while the kernel runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "taskmill/tensor.h"

namespace taskmill {

constexpr uint32_t kArgumentSlots = 50;      ///< words of `args`
constexpr uint32_t kLocalContextSlot = 48;   ///< LocalContext*: this dispatch
constexpr uint32_t kGlobalContextSlot = 49;  ///< GlobalContext*: this core

/// What differs from one dispatch of a kernel to the next.
struct LocalContext {
  int32_t block_idx;  ///< 0 to block_num − 1
  int32_t block_num;  ///< blocks of the task, 1 for a plain one
};

/// How a kernel lets others run while it waits. On hardware `wait_step` is null: the core spins.
struct KernelServices {
  void* context;                                                          ///< for wait_step
  void (*wait_step)(void* context, const uint32_t* word, uint32_t seen);  ///< returns once *word may differ from `seen`
};

/// What is the same for every kernel that a core runs.
struct GlobalContext {
  int32_t sub_block_id;       ///< lane of an AIV core in its cluster, 0 or 1; 0 on an AIC
  uint32_t reserved;          ///< 0
  uint64_t dma_workspace[2];  ///< addresses of the core's workspaces for transfers between devices; 0: none
  KernelServices services;    ///< for wait_until
};

/// Tensor argument `index`. REQUIRES: the task has that many.
inline const TensorDescriptor& tensor(const int64_t* args, uint32_t index) {
  return *reinterpret_cast<const TensorDescriptor*>(args[index]);
}

/// First element of tensor argument `index`, its view's origin included. Unchecked: T must be the tensor's dtype.
template <class T>
T* data(const int64_t* args, uint32_t index) {
  const TensorDescriptor& t = tensor(args, index);
  return reinterpret_cast<T*>(t.buffer.addr) + t.start_offset;
}

/// Scalar at place `index` of args: count the tensors first. T must be the type that was passed.
template <class T>
T scalar(const int64_t* args, uint32_t index) {
  static_assert(sizeof(T) <= sizeof(int64_t));
  T value;
  std::memcpy(&value, &args[index], sizeof value);
  return value;
}

/// The context of this dispatch.
inline const LocalContext& local_context(const int64_t* args) { return *reinterpret_cast<const LocalContext*>(args[kLocalContextSlot]); }
/// The context of this core.
inline const GlobalContext& global_context(const int64_t* args) {
  return *reinterpret_cast<const GlobalContext*>(args[kGlobalContextSlot]);
}
/// Which block of its task this is, 0 to block_num − 1.
inline int32_t block_idx(const int64_t* args) { return local_context(args).block_idx; }
/// How many blocks the task has; 1 for a plain one.
inline int32_t block_num(const int64_t* args) { return local_context(args).block_num; }
/// Lane of an AIV core in its cluster, 0 or 1; 0 on an AIC.
inline int32_t sub_block_id(const int64_t* args) { return global_context(args).sub_block_id; }

/// Waits until predicate(value of *word) holds and returns that value. What a kernel may wait for: docs/how-it-works/kernels.md.
template <class Predicate>
uint32_t wait_until(const int64_t* args, const uint32_t* word, Predicate predicate) {
  const KernelServices& services = global_context(args).services;
  for (;;) {
    const uint32_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (predicate(value)) return value;
    if (services.wait_step != nullptr) services.wait_step(services.context, word, value);
  }
}

}  // namespace taskmill
