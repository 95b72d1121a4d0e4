// Writes spans as Chrome trace JSON (the "JSON Array Format" with metadata of the Trace Event Format), which Perfetto opens.
#pragma once

#include <filesystem>
#include <span>

#include "diag/span.h"
#include "taskmill/result.h"

namespace taskmill::diag {

// Times in the file count from the earliest span, in microseconds. `dropped_spans` stands in its "otherData". IoFailed.
Result<void> write_chrome_trace(const std::filesystem::path& file, std::span<const Span> spans, uint64_t dropped_spans);

}  // namespace taskmill::diag
