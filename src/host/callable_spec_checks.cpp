#include "host/callable_spec_checks.h"

#include <fmt/format.h>

#include <set>

#include "support/text.h"

namespace taskmill {
namespace {

tl::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::kInvalidArgument, std::move(message)); }

Result<void> check_counts(const CallableSpec& spec) {
  if (spec.signature.size() > kMaxEntryTensors) {
    return invalid(fmt::format("\"{}\" has {} tensor arguments, at most {} are possible", spec.name, text::grouped(spec.signature.size()),
                               kMaxEntryTensors));
  }
  if (spec.scalar_count > kMaxEntryScalars) {
    return invalid(fmt::format("\"{}\" has {} scalar arguments, at most {} are possible", spec.name, text::grouped(spec.scalar_count),
                               kMaxEntryScalars));
  }
  return {};
}

Result<void> check_kernels(const CallableSpec& spec) {
  std::set<int32_t> ids;
  for (const KernelSource& kernel : spec.kernels) {
    if (kernel.id < 0 || kernel.id > kMaxKernelId) {
      return invalid(fmt::format("{}: the id must be 0 to {}", kernel_label(spec, kernel), text::grouped(kMaxKernelId)));
    }
    if (!ids.insert(kernel.id).second) {
      return invalid(fmt::format("{}: another kernel of \"{}\" has the same id", kernel_label(spec, kernel), spec.name));
    }
    if (kernel.source.empty()) return invalid(fmt::format("{} names no source file", kernel_label(spec, kernel)));
    if (kernel.core_type != CoreType::kAic && kernel.core_type != CoreType::kAiv) {
      return invalid(fmt::format("{}: core type {} is neither AIC (0) nor AIV (1)", kernel_label(spec, kernel),
                                 static_cast<unsigned>(kernel.core_type)));
    }
  }
  return {};
}

Result<void> check_signature(const CallableSpec& spec) {
  for (size_t i = 0; i < spec.signature.size(); ++i) {
    const ArgumentSignature& argument = spec.signature[i];
    if (static_cast<uint8_t>(argument.direction) > static_cast<uint8_t>(Direction::kInout)) {
      return invalid(
          fmt::format("{}: direction {} is none of in, out and inout", argument_label(spec, i), static_cast<unsigned>(argument.direction)));
    }
    if (argument.dtype && element_bytes(*argument.dtype) == 0) {
      return invalid(fmt::format("{}: dtype {} does not exist", argument_label(spec, i), static_cast<unsigned>(*argument.dtype)));
    }
  }
  return {};
}

}  // namespace

std::string kernel_label(const CallableSpec& spec, const KernelSource& kernel) {
  return fmt::format("kernel \"{}\" (id {}) of \"{}\"", kernel.name, kernel.id, spec.name);
}

std::string argument_label(const CallableSpec& spec, size_t index) {
  const std::string& name = spec.signature[index].name;
  return name.empty() ? fmt::format("argument {} of \"{}\"", index, spec.name)
                      : fmt::format("argument {} (\"{}\") of \"{}\"", index, name, spec.name);
}

Result<void> check_callable_spec(const CallableSpec& spec) {
  if (spec.name.empty()) return invalid("a callable needs a name");
  if (spec.function.empty()) return invalid(fmt::format("\"{}\" names no orchestration function", spec.name));
  if (spec.orchestration.empty()) return invalid(fmt::format("\"{}\" names no orchestration source", spec.name));
  if (static_cast<uint32_t>(spec.dependency_rules) >= kDependencyRules) {
    return invalid(fmt::format("\"{}\": dependency rules {} are neither native (0) nor the ecosystem's (1)", spec.name,
                               static_cast<uint32_t>(spec.dependency_rules)));
  }
  TASKMILL_TRY(check_counts(spec));
  TASKMILL_TRY(check_kernels(spec));
  return check_signature(spec);
}

}  // namespace taskmill
