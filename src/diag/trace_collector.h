// Reads the trace region of a run that has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "diag/span.h"
#include "taskmill/driver.h"

namespace taskmill::diag {

struct TraceNames {
  uint32_t clusters = 0;
  std::map<int32_t, std::string> kernels;  // by id
};

// Calls `each` for every recorded span, lane by lane; its names live until it returns. Gives the number of spans that full lanes
// dropped. DeviceFault if the region does not hold a trace of this version that fits in `region_bytes`.
Result<uint64_t> collect_trace(Device& device, DeviceAddress region, uint64_t region_bytes, const TraceNames& names,
                               const std::function<void(const Span&)>& each);

}  // namespace taskmill::diag
