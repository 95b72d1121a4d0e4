// Facts about chips. Everything that differs between generations is a number here, never a copied function.
// Source: constants table of the interface specification (section 3).
#pragma once

#include <cstdint>

namespace taskmill::arch {

enum class ArchId : uint32_t { kA2a3 = 1, kA5 = 2 };

struct ChipTraits {
  ArchId id;
  const char* name;
  uint32_t clusters;            // one AIC and two AIVs each
  uint32_t aicpu_launch_bound;  // most AICPU threads of one launch
  uint32_t aicpu_threads;       // default: schedulers and the orchestrator
  uint64_t counter_hz;          // system counter
  uint64_t memory_bytes;        // HBM per device
  uint32_t dispatch_register;   // byte offset of the dispatch word in a core's register window
  uint32_t condition_register;  // byte offset of the completion word

  constexpr uint32_t cores() const { return 3 * clusters; }
};

// AIC of cluster i is core i; its AIV lanes 0 and 1 are cores C + 2i and C + 2i + 1 of a chip with C clusters.
constexpr bool core_is_aic(uint32_t core, uint32_t clusters) { return core < clusters; }
constexpr uint32_t core_lane(uint32_t core, uint32_t clusters) { return core_is_aic(core, clusters) ? 0 : (core - clusters) & 1; }

}  // namespace taskmill::arch
