// Looks an arch up by name or id.
#pragma once

#include <string_view>

#include "arch/a2a3.h"
#include "arch/a5.h"

namespace taskmill::arch {

// nullptr for an unknown one.
constexpr const ChipTraits* find(std::string_view name) {
  if (name == kA2a3.name) return &kA2a3;
  if (name == kA5.name) return &kA5;
  return nullptr;
}
constexpr const ChipTraits* find(ArchId id) { return id == ArchId::kA2a3 ? &kA2a3 : id == ArchId::kA5 ? &kA5 : nullptr; }

}  // namespace taskmill::arch
