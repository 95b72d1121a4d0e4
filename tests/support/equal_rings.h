// Ring sizes that do not differ by scope depth.
#pragma once

#include "wire/launch_block.h"

namespace taskmill::test {

constexpr wire::GraphSizes equal_rings(const wire::RingSizes& each) { return {{each, each, each, each}}; }

}  // namespace taskmill::test
