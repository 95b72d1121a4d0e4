#include <algorithm>
#include <array>

#include "taskmill/driver.h"

namespace taskmill {
namespace {

// A row per byte value: a queued copy may read its source after the call that queued it returned.
constexpr uint64_t kPatternBytes = 64;
using Pattern = std::array<uint8_t, kPatternBytes>;
constexpr auto kPatterns = [] {
  std::array<Pattern, 256> rows{};
  for (size_t value = 0; value < rows.size(); ++value) rows[value].fill(static_cast<uint8_t>(value));
  return rows;
}();

tl::unexpected<Error> unsupported(const DeviceInfo& info, const char* call) {
  return fail(ErrorCode::kUnsupported, info.platform + " does not support " + call);
}

}  // namespace

// The first bytes come from the pattern, then the filled part doubles itself: copies of one stream are in order.
Result<void> Device::fill(DeviceAddress destination, uint8_t value, uint64_t bytes, Handle stream) {
  uint64_t filled = std::min(bytes, kPatternBytes);
  TASKMILL_TRY(copy({destination, reinterpret_cast<uint64_t>(kPatterns[value].data()), filled, CopyKind::kHostToDevice}, stream));
  while (filled < bytes) {
    const uint64_t piece = std::min(filled, bytes - filled);
    TASKMILL_TRY(copy({destination + filled, destination, piece, CopyKind::kDeviceToDevice}, stream));
    filled += piece;
  }
  return {};
}

Result<uint64_t> Device::timestamp(Handle) { return unsupported(info_, "event timestamps"); }

Result<void> Device::abandon(const std::string&) { return unsupported(info_, "abandoning its work"); }

Result<void> Device::health() { return {}; }

}  // namespace taskmill
