// The toy AICPU program as an object that a device loads.
#include "driver/toy_program.h"

extern "C" __attribute__((visibility("default"))) const taskmill::wire::AicpuProgram taskmill_aicpu_program;
const taskmill::wire::AicpuProgram taskmill_aicpu_program = {taskmill::wire::kProgramVersion, TOY_ARCH, 1, taskmill::toy::kEntries};
