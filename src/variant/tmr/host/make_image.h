// Lays out what the device will read of a run: its launch block and tables.
#pragma once

#include "variant/tmr/host/roots.h"
#include "variant/tmr/host/run.h"

namespace taskmill::tmr {

// What the slot must hold for the run. InvalidArgument if no memory could hold its region.
Result<SlotNeeds> slot_needs(const RunSlot& slot, const RunInputs& inputs);

// REQUIRES: the slot holds `needs`; run.leases are the leases of `roots`, in their order.
RunImage make_image(const RunSlot& slot, const RunInputs& inputs, const SlotNeeds& needs, const Roots& roots, const RunBindings& run);

}  // namespace taskmill::tmr
