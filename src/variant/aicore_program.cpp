// The AICore program of one chip. TASKMILL_CHIP, a constant of arch/, is given by the build.
#include "arch/find.h"
#include "device/aicore/core_step.h"

extern "C" __attribute__((visibility("default"))) const taskmill::wire::AicoreProgram taskmill_aicore_program = {
    .version = taskmill::wire::kProgramVersion,
    .arch = static_cast<uint32_t>(taskmill::arch::TASKMILL_CHIP.id),
    .core_step = taskmill::aicore::core_step,
    .core_trap = taskmill::aicore::core_trap,
};
