// Checks what a run is given against the callable's signature, before anything is allocated.
#pragma once

#include <span>
#include <vector>

#include "host/allocation_table.h"
#include "taskmill/host.h"
#include "variant/tmr/host/entry_argument.h"

namespace taskmill {

struct RunArguments {
  std::vector<tmr::EntryArgument> tensors;
  std::vector<uint64_t> scalars;
};

// Tensors first, then scalars. ArgumentCount, ArgumentType, BufferTooShort, NotADeviceAddress or InvalidArgument (rank, extents)
// name the argument and the numbers.
Result<RunArguments> check_run_arguments(const CallableSpec& spec, std::span<const Argument> arguments, const AllocationTable& allocations);

}  // namespace taskmill
