// The AICPU program of one chip: the entries of every runtime variant, since a process can place only one program.
// TASKMILL_CHIP, a constant of arch/, is given by the build.
#include "arch/find.h"
#include "variant/tmr/aicpu/tmr_entry.h"

namespace {

constexpr const taskmill::arch::ChipTraits& kChip = taskmill::arch::TASKMILL_CHIP;

constexpr taskmill::wire::AicpuEntry kEntries[] = {taskmill::tmr::entry<kChip>()};

}  // namespace

extern "C" __attribute__((visibility("default"))) const taskmill::wire::AicpuProgram taskmill_aicpu_program = {
    .version = taskmill::wire::kProgramVersion,
    .arch = static_cast<uint32_t>(kChip.id),
    .entry_count = sizeof kEntries / sizeof kEntries[0],
    .entries = kEntries,
};
