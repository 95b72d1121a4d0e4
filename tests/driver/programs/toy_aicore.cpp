// The toy AICore program as an object that a device loads.
#include "driver/toy_program.h"

extern "C" __attribute__((visibility("default"))) const taskmill::wire::AicoreProgram taskmill_aicore_program;
const taskmill::wire::AicoreProgram taskmill_aicore_program = {taskmill::wire::kProgramVersion, TOY_ARCH, &taskmill::toy::core_step,
                                                               &taskmill::toy::core_trap};
