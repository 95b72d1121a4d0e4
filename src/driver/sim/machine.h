// One run as its device programs see it: the launch block with ports filled in, and the contexts of the cores. What the
// port functions do is the executor's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "driver/sim/views.h"
#include "wire/program.h"

namespace taskmill::sim {

// `context` of a core's CorePort and KernelServices: which core of which run.
struct CoreSeat {
  void* run;
  uint32_t core;
};

// Port functions of an executor. `context` of the AICPU's functions is the run, that of a core's is its CoreSeat.
struct PortTable {
  wire::CorePort aicpu_side;
  wire::CorePort core_side;
  wire::AicpuPort aicpu;
  void (*wait_step)(void* context, const uint32_t* word, uint32_t seen);
};

class Machine {
 public:
  Machine(const wire::LaunchBlock& launch, const PortTable& ports, void* run, bool noncoherent);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const wire::LaunchBlock& launch() const { return launch_; }
  uint32_t cores() const { return static_cast<uint32_t>(contexts_.size()); }
  uint32_t scheduler_threads() const { return launch_.scheduler_threads; }
  wire::CoreContext& context(uint32_t core) { return contexts_[core]; }
  const wire::CoreContext& context(uint32_t core) const { return contexts_[core]; }
  wire::CoreRegisters& registers(uint32_t core) { return registers_[core]; }
  Views* views() { return views_.get(); }  // null in the coherent mode

 private:
  wire::LaunchBlock launch_;
  wire::CorePort aicpu_core_port_;
  wire::AicpuPort aicpu_port_;
  wire::CoreRegisters* registers_;
  std::unique_ptr<Views> views_;
  std::vector<CoreSeat> seats_;
  std::vector<wire::CorePort> core_ports_;
  std::vector<wire::CoreContext> contexts_;
};

}  // namespace taskmill::sim
