#include "driver/sim/machine.h"

#include "arch/traits.h"

namespace taskmill::sim {

Machine::Machine(const wire::LaunchBlock& launch, const PortTable& ports, void* run, bool noncoherent)
    : launch_(launch),
      aicpu_core_port_(ports.aicpu_side),
      aicpu_port_(ports.aicpu),
      registers_(reinterpret_cast<wire::CoreRegisters*>(launch.registers)),
      seats_(3 * launch.clusters),
      core_ports_(seats_.size(), ports.core_side),
      contexts_(seats_.size()) {
  if (noncoherent) views_ = std::make_unique<Views>(launch.region, launch.region_bytes, 1 + static_cast<uint32_t>(seats_.size()));
  if (views_) launch_.region = views_->base(Views::kAicpu);
  aicpu_core_port_.context = run;
  aicpu_port_.context = run;
  launch_.core_port = &aicpu_core_port_;
  launch_.aicpu_port = &aicpu_port_;
  for (uint32_t core = 0; core < contexts_.size(); ++core) {
    seats_[core] = {run, core};
    core_ports_[core].context = &seats_[core];
    wire::CoreContext& context = contexts_[core];
    context.launch = &launch_;
    context.port = &core_ports_[core];
    context.region = views_ ? views_->base(Views::core_viewer(core)) : launch.region;
    context.registers = &registers_[core];
    context.core = core;
    context.lane = arch::core_lane(core, launch.clusters);
    context.services = {&seats_[core], ports.wait_step};
  }
}

}  // namespace taskmill::sim
