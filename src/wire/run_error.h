// What a run tells the host when it ends: a result word, the first error with the numbers that mend it, and peak use.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/align.h"
#include "base/core_mask.h"

namespace taskmill::wire {

// What an error code is about; `needed`, `available` and `argument` of RunError mean what is said here.
enum class Reason : uint32_t {
  kNone,
  kTooManyTensors,  // needed: given; available: most
  kTooManyScalars,  // needed: given; available: most
  kTensorAfterScalar,
  kForeignTensor,        // argument: not a tensor of this run
  kUnknownAddress,       // argument; needed: an address that lies in no buffer of this run
  kBridgesRoots,         // argument: a tensor given by address begins in one buffer and reaches into another; needed: bytes that it
                         // reaches to, available: bytes of the buffer that it begins in; message: both
  kScopeEnded,           // argument: its buffer's scope has ended
  kOutsideBuffer,        // argument; needed: bytes that the view reaches to; available: bytes of its buffer
  kBadView,              // argument: a view operation was given bounds outside its parent
  kBadShape,             // argument; needed: its rank (1 to 5)
  kBadDataType,          // argument; needed: its number; available: types that there are
  kOutputTooLarge,       // argument; needed: bytes; available: heap ring bytes
  kUnknownKernelId,      // kernel_id; available: ids that are looked up, from 0
  kScopeDepth,           // needed: depth; available: most
  kAutoInManual,         // an AUTO scope inside a MANUAL one
  kUnknownTask,          // argument: index of the dependency; needed: a task id that was not given out
  kBadIndex,             // of an element: needed: numbers given; available: the tensor's rank
  kIndexOutside,         // of an element: argument: dimension; needed: index; available: extent
  kTooManyDependencies,  // needed: given; available: most
  kUnknownValue,         // argument (−1: the task): a mode, kind or core type that there is not; needed: its number
  kNothingToAllocate,    // alloc_tensors without a buffer to make, or with anything else
  kScopeUnderflow,       // scope_end without a begin
  kRingSlots,            // needed: slots (at least); available: usable slots
  kRingArguments,        // needed, available: argument lines
  kRingHeap,             // needed, available: bytes
  kReported,             // by the orchestration: message
  kThrew,                // an exception left the orchestration: message
  kKernelOverdue,        // task, kernel_id, core; needed: ns that it ran; available: limit in ns
  kNoProgress,           // needed: ns without a completion; available: limit in ns; message; task, kernel_id, core if one is to blame
  kKernelTrap,           // task, kernel_id, core; needed: signal; available: fault address
  kKernelReported,       // task, kernel_id, core: the kernel stored a code in its slab
  kLaunchVersion,        // needed: version of the block; available: of the program
  kLaunchArch,           // needed: arch of the block; available: of the program
  kLaunchRegion,         // needed, available: bytes; message: of what
  kLaunchShape,          // message: what; needed: so many in the block; available: most that the program drives
  kLaunchRules,          // needed: number of the block's dependency rules; available: rules that the program has
};

struct RunError {
  int32_t code;  // ErrorCode; the first of a run wins by compare-and-swap
  Reason reason;
  uint32_t task;  // local id
  int32_t kernel_id;
  int32_t core;
  int32_t argument;
  uint64_t needed;
  uint64_t available;
  uint32_t line;   // of the scope concerned
  uint32_t ring;   // of kRingSlots, kRingArguments and kRingHeap
  char file[128];  // its end, if longer
  char message[128];
};
static_assert(sizeof(RunError) == 304 && std::is_trivially_copyable_v<RunError>);

// Of one kind of room in a ring. `enough`: this run would have ended with a ring of this size too, if more slowly.
struct RoomUse {
  uint64_t peak;
  uint64_t size;
  uint64_t enough;
};
struct RingUse {
  RoomUse tasks;  // usable slots; enough: a window
  RoomUse argument_lines;
  RoomUse edge_nodes;
  RoomUse heap_bytes;
};
static_assert(sizeof(RingUse) == 96);

// ResultBlock::submitted of a run whose orchestration did not return.
constexpr uint64_t kSubmittedUnknown = ~uint64_t{0};

// Written by the AICPU program when a run ends. `run_serial` is the result word: written last, with release.
struct alignas(kCacheLineBytes) ResultBlock {
  uint64_t run_serial;
  uint64_t submitted;  // tasks of the orchestration; the runtime's own (groups) are not counted here
  uint64_t completed;
  CoreMask stuck_cores;  // cores that did not leave: their kernels still run, or died
  RunError error;        // code 0: success
  RingUse rings[4];      // by scope depth; the last also for all deeper ones
};
static_assert(sizeof(ResultBlock) == 768 && std::is_trivially_copyable_v<ResultBlock>);

}  // namespace taskmill::wire
