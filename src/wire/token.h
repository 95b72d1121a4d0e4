// The dispatch token: one 32-bit write from AICPU to a core (64-bit stores tear on the chip), and the core's answer.
// Owner of contract 4's number space.
//
//   bit 31      state, in the completion register (COND) only: 0 acknowledged, 1 finished
//   bits 30..23 run generation, 1 to 255
//   bits 22..0  per-core sequence, 1 to kMaxSequence, then 1 again
//
// Dispatch word: 0 none; sequence kExitSequence: leave. COND: sequence 0: HELLO; sequence kExitSequence: TRAP, the core's
// kernel died and the core will not answer again (told by the simulator's signal handler; by exception callback on silicon).
#pragma once

#include <cstdint>

namespace taskmill::wire {

constexpr uint32_t kSequenceBits = 23;
constexpr uint32_t kSequenceMask = (1u << kSequenceBits) - 1;
constexpr uint32_t kExitSequence = kSequenceMask;
constexpr uint32_t kMaxSequence = kSequenceMask - 1;
constexpr uint32_t kHelloSequence = 0;
constexpr uint32_t kFinished = 1u << 31;
constexpr uint32_t kNoToken = 0;

constexpr uint32_t make_token(uint32_t generation, uint32_t sequence) { return (generation << kSequenceBits) | sequence; }
constexpr uint32_t token_generation(uint32_t token) { return (token & ~kFinished) >> kSequenceBits; }
constexpr uint32_t token_sequence(uint32_t token) { return token & kSequenceMask; }
constexpr bool is_finished(uint32_t cond) { return (cond & kFinished) != 0; }
constexpr uint32_t next_sequence(uint32_t sequence) { return sequence == kMaxSequence ? 1 : sequence + 1; }
// The payload slot of a token.
constexpr uint32_t payload_slot(uint32_t sequence) { return sequence & 1; }
// Generations 1 to 255 in turn for run serials 1, 2, 3, ...
constexpr uint32_t run_generation(uint64_t run_serial) { return static_cast<uint32_t>((run_serial - 1) % 255) + 1; }

}  // namespace taskmill::wire
