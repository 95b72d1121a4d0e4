#include "variant/tmr/host/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "support/text.h"

namespace taskmill::tmr {
namespace {

using text::grouped;

bool overlap(const Root& a, const Root& b) {
  return a.bytes != 0 && b.bytes != 0 && a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

Root root_of_argument(const EntryArgument& argument, uint32_t index) {
  return {index, argument.address, argument.bytes, argument.on_device, argument.reads, argument.writes};
}

void add_use(Root& root, const EntryArgument& argument) {
  root.reads |= argument.reads;
  root.writes |= argument.writes;
}

// A root for each distinct host buffer and each empty tensor.
void add_host_roots(std::span<const EntryArgument> arguments, Roots* found) {
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const EntryArgument& argument = arguments[i];
    if (argument.on_device && argument.bytes != 0) continue;
    const auto same = std::ranges::find_if(found->roots, [&](const Root& root) {
      return argument.bytes != 0 && root.bytes == argument.bytes && root.address == argument.address && !root.on_device;
    });
    found->root_of[i] = static_cast<uint32_t>(same - found->roots.begin());
    if (same == found->roots.end()) {
      found->roots.push_back(root_of_argument(argument, i));
    } else {
      add_use(*same, argument);
    }
  }
}

Result<void> check_host_overlap(std::span<const EntryArgument> arguments, const std::vector<Root>& roots) {
  for (size_t a = 0; a < roots.size(); ++a) {
    for (size_t b = a + 1; b < roots.size(); ++b) {
      if (!overlap(roots[a], roots[b]) || (!roots[a].writes && !roots[b].writes)) continue;
      const uint64_t begin = std::max(roots[a].address, roots[b].address);
      const uint64_t end = std::min(roots[a].address + roots[a].bytes, roots[b].address + roots[b].bytes);
      return fail(ErrorCode::kOverlappingArguments,
                  fmt::format("{} ({} bytes) and {} ({} bytes) share {} bytes of host memory and at least one is written: pass the same "
                              "whole buffer for both, or buffers of their own",
                              arguments[roots[a].first].label, grouped(roots[a].bytes), arguments[roots[b].first].label,
                              grouped(roots[b].bytes), grouped(end - begin)));
    }
  }
  return {};
}

// Walks the device tensors by address; whatever overlaps the root being built becomes a part of it.
void add_device_roots(std::span<const EntryArgument> arguments, Roots* found) {
  std::vector<uint32_t> by_address;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].on_device && arguments[i].bytes != 0) by_address.push_back(i);
  }
  std::ranges::stable_sort(by_address, {}, [&](uint32_t i) { return arguments[i].address; });
  const size_t first_device_root = found->roots.size();
  for (const uint32_t i : by_address) {
    const EntryArgument& argument = arguments[i];
    if (found->roots.size() == first_device_root || argument.address >= found->roots.back().address + found->roots.back().bytes) {
      found->roots.push_back(root_of_argument(argument, i));
    } else {
      Root& root = found->roots.back();
      root.first = std::min(root.first, i);
      root.bytes = std::max(root.bytes, argument.address + argument.bytes - root.address);
      add_use(root, argument);
    }
    found->root_of[i] = static_cast<uint32_t>(found->roots.size() - 1);
  }
}

// Views count their origin in elements.
Result<void> check_element_offsets(std::span<const EntryArgument> arguments, const Roots& found) {
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const EntryArgument& argument = arguments[i];
    const Root& root = found.roots[found.root_of[i]];
    const uint64_t offset = argument.address - root.address;
    if (offset % element_bytes(argument.dtype) == 0) continue;
    const auto base = std::ranges::find_if(
        arguments, [&](const EntryArgument& other) { return other.on_device && other.bytes != 0 && other.address == root.address; });
    return fail(ErrorCode::kOverlappingArguments,
                fmt::format("{} lies {} bytes into the memory of {}, which is not a multiple of its {}-byte elements", argument.label,
                            grouped(offset), base->label, element_bytes(argument.dtype)));
  }
  return {};
}

}  // namespace

Result<Roots> find_roots(std::span<const EntryArgument> arguments) {
  Roots found;
  found.root_of.resize(arguments.size());
  add_host_roots(arguments, &found);
  TASKMILL_TRY(check_host_overlap(arguments, found.roots));
  add_device_roots(arguments, &found);
  TASKMILL_TRY(check_element_offsets(arguments, found));
  return found;
}

}  // namespace taskmill::tmr
