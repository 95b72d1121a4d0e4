// Checks each scheduler pass against contracts 4 and 6, from the registers alone: it knows nothing of the scheduler's state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "wire/launch_block.h"

namespace taskmill::test {

class Referee {
 public:
  static Referee& current();

  void begin(uint64_t run_serial, uint32_t clusters, wire::CoreRegisters* registers);
  void before_pass(const wire::LaunchBlock& launch);
  void after_pass(const wire::LaunchBlock& launch);
  // What was broken so far, a line each.
  const std::string& breaches() const { return breaches_; }
  uint64_t tokens() const { return tokens_; }
  uint64_t followers() const { return followers_; }

 private:
  struct Core {
    uint32_t word = 0;   // dispatch word before the pass
    uint32_t token = 0;  // newest token of this run
    bool exited = false;
    std::array<wire::DispatchPayload, 2> payload = {};
  };

  bool answered(uint32_t core, uint32_t token) const;
  bool finished(uint32_t core, uint32_t token) const;
  bool started(uint32_t core) const;
  bool idle(uint32_t core) const;
  bool shape_is_busy(uint32_t core) const;
  void check_word(uint32_t core, uint32_t word);
  void check_payload(const wire::LaunchBlock& launch, uint32_t core);
  void breach(uint32_t core, const char* what);

  uint32_t generation_ = 0;
  uint32_t clusters_ = 0;
  wire::CoreRegisters* registers_ = nullptr;
  std::vector<Core> cores_;
  std::vector<uint32_t> new_followers_;
  std::string breaches_;
  uint64_t tokens_ = 0;
  uint64_t followers_ = 0;
};

}  // namespace taskmill::test
