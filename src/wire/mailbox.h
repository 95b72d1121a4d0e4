// What the AICPU and one core share: two register words each way, and a mailbox in the run region. Owner of contract 4's
// layouts. A line has one writer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/align.h"

namespace taskmill::wire {

// The words that are registers on the chip: always coherent.
struct CoreRegisters {
  alignas(kCacheLineBytes) uint32_t dispatch_;  // AICPU writes
  uint32_t gate_;                               // AICPU writes
  alignas(kCacheLineBytes) uint32_t cond_;      // core writes

  // AICPU side. The release orders the payload before its token.
  void send(uint32_t token) { std::atomic_ref(dispatch_).store(token, std::memory_order_release); }
  void open_gate(uint32_t token) { std::atomic_ref(gate_).store(token, std::memory_order_release); }
  // Acquire: a core's slab is read after its COND.
  uint32_t answer() { return std::atomic_ref(cond_).load(std::memory_order_acquire); }

  // Core side.
  uint32_t received() { return std::atomic_ref(dispatch_).load(std::memory_order_acquire); }
  uint32_t gate() { return std::atomic_ref(gate_).load(std::memory_order_acquire); }
  void report(uint32_t cond) { std::atomic_ref(cond_).store(cond, std::memory_order_release); }
};
static_assert(sizeof(CoreRegisters) == 128 && std::is_trivially_copyable_v<CoreRegisters>);

// One dispatch. Offsets count from the run region's base, each side adding the base of its own view.
struct alignas(kCacheLineBytes) DispatchPayload {
  uint64_t kernel;            // entry address
  uint64_t arguments_offset;  // of an ArgumentBlock
  uint32_t task;              // local id
  int32_t kernel_id;
  uint16_t tensor_count;
  uint16_t scalar_count;
  uint32_t arguments_bytes;  // block, its descriptors included: one publish and one invalidate
  int32_t block_idx;
  int32_t block_num;
  uint32_t gated;  // nonzero: wait until the gate word equals the token
  uint8_t reserved[12];
};
static_assert(sizeof(DispatchPayload) == 64 && std::is_trivially_copyable_v<DispatchPayload>);

// What a core tells besides COND.
struct alignas(kCacheLineBytes) CompletionSlab {
  uint32_t count;  // deferred conditions registered by the kernel
  int32_t error_code;
  uint32_t signal;  // after TRAP: the signal that killed the kernel
  uint32_t reserved0;
  uint64_t fault_address;  // after TRAP
  uint8_t reserved[40];
};
static_assert(sizeof(CompletionSlab) == 64 && std::is_trivially_copyable_v<CompletionSlab>);

struct CoreMailbox {
  DispatchPayload payload[2];  // slot = sequence & 1; AICPU writes, after FIN of the slot's last occupant
  CompletionSlab slab[2];      // same slots; core writes
};
static_assert(sizeof(CoreMailbox) == 256 && std::is_trivially_copyable_v<CoreMailbox>);

// The arguments of one task, in the argument ring: `tensor_count` entries of TensorSlot, then `scalar_count` u64, padded
// to a line; the descriptors of its views follow in the lines behind it. A whole-root argument names the root's descriptor,
// which lies elsewhere and is published by the orchestrator when it is made.
struct TensorSlot {
  uint32_t descriptor_line;  // kWrittenTensor | its TensorDescriptor, in 64-byte lines from the run region's line base
  uint32_t owner;            // 1 + task slot whose buffer it pins, 0: none

  constexpr uint32_t line() const { return descriptor_line & ~(uint32_t{1} << 31); }
  constexpr bool written() const { return (descriptor_line >> 31) != 0; }
};
static_assert(sizeof(TensorSlot) == 8);
// Set in descriptor_line where the task writes the tensor: the core cleans its bytes before FIN.
constexpr uint32_t kWrittenTensor = uint32_t{1} << 31;

}  // namespace taskmill::wire
