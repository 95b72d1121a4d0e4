// A device program's error as a sentence.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "wire/run_error.h"

namespace taskmill::tmr {

// What a run's numbers are called.
struct RunNames {
  std::string callable;
  std::map<int32_t, std::string> kernels;  // by id
  uint32_t clusters = 0;                   // of the chip
};

// "AIC 3", "AIV 17".
std::string core_name(uint32_t core, uint32_t clusters);

// Which submits take room in a ring: those of "scope depth 1", "scope depths 3 and deeper".
std::string ring_depths(uint32_t ring);

// One sentence: what happened, to which task, kernel, core or scope, with the numbers that mend it; then what to do, where that
// is known. REQUIRES: result.error.code != 0.
std::string error_text(const wire::ResultBlock& result, const RunNames& names);

}  // namespace taskmill::tmr
