// What a callable's specification may say.
#pragma once

#include <string>

#include "taskmill/host.h"

namespace taskmill {

constexpr int32_t kMaxKernelId = 1'023;

// InvalidArgument names the callable, the kernel or argument, and the limit.
Result<void> check_callable_spec(const CallableSpec& spec);

// For messages: kernel "swiglu" (id 2) of "decode"; argument 2 ("kv_cache") of "decode".
std::string kernel_label(const CallableSpec& spec, const KernelSource& kernel);
std::string argument_label(const CallableSpec& spec, size_t index);

}  // namespace taskmill
