#include "host/run_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "host/callable_spec_checks.h"
#include "support/text.h"

namespace taskmill {
namespace {

using text::counted;
using text::grouped;

bool is_scalar(const Argument& argument) { return std::holds_alternative<uint64_t>(argument); }

// "3 x 128 x 1024 bfloat16"
std::string shape_text(std::span<const uint32_t> shape, DataType dtype) {
  return fmt::format("{} {}", fmt::join(shape, " x "), data_type_name(dtype));
}

// Bytes of a contiguous tensor. Each stride, a product of inner extents, must fit its 32 bits.
Result<uint64_t> tensor_bytes(const std::string& label, std::span<const uint32_t> shape, DataType dtype) {
  if (shape.empty() || shape.size() > kMaxDims) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} has rank {}, a tensor has rank 1 to {}", label, shape.size(), kMaxDims));
  }
  uint64_t stride = 1;
  uint64_t bytes = element_bytes(dtype);
  for (size_t d = shape.size(); d-- > 0;) {
    if (stride > std::numeric_limits<uint32_t>::max() || !checked_mul(bytes, shape[d], &bytes)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: {} is more than strides of 32 bits can reach", label, shape_text(shape, dtype)));
    }
    stride *= std::max<uint64_t>(shape[d], 1);
  }
  return bytes;
}

Result<void> check_dtype(const std::string& label, const ArgumentSignature& signature, DataType dtype) {
  if (element_bytes(dtype) == 0) {
    return fail(ErrorCode::kArgumentType, fmt::format("{}: dtype {} does not exist", label, static_cast<unsigned>(dtype)));
  }
  if (!signature.dtype || *signature.dtype == dtype) return {};
  return fail(ErrorCode::kArgumentType,
              fmt::format("{} is {}, the signature says {}", label, data_type_name(dtype), data_type_name(*signature.dtype)));
}

Result<tmr::EntryArgument> describe(std::string label, const ArgumentSignature& signature, std::span<const uint32_t> shape,
                                    DataType dtype) {
  TASKMILL_TRY(check_dtype(label, signature, dtype));
  tmr::EntryArgument entry;
  TASKMILL_ASSIGN(entry.bytes, tensor_bytes(label, shape, dtype));
  entry.label = std::move(label);
  entry.reads = signature.direction != Direction::kOut;
  entry.writes = signature.direction != Direction::kIn;
  entry.ndims = static_cast<uint8_t>(shape.size());
  entry.dtype = dtype;
  std::ranges::copy(shape, entry.shape);
  return entry;
}

Result<tmr::EntryArgument> check_host(std::string label, const ArgumentSignature& signature, const HostTensor& tensor) {
  TASKMILL_ASSIGN(tmr::EntryArgument entry, describe(std::move(label), signature, tensor.shape, tensor.dtype));
  if (tensor.bytes < entry.bytes) {
    return fail(ErrorCode::kBufferTooShort,
                fmt::format("{}: {} needs {} bytes, the buffer has {}", entry.label, shape_text(tensor.shape, tensor.dtype),
                            grouped(entry.bytes), grouped(tensor.bytes)));
  }
  if (tensor.data == nullptr && entry.bytes != 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: its data is a null pointer", entry.label));
  }
  entry.address = reinterpret_cast<uint64_t>(tensor.data);
  return entry;
}

Result<tmr::EntryArgument> check_device(std::string label, const ArgumentSignature& signature, const DeviceTensor& tensor,
                                        const AllocationTable& allocations) {
  TASKMILL_ASSIGN(tmr::EntryArgument entry, describe(std::move(label), signature, tensor.shape, tensor.dtype));
  if (entry.bytes != 0) TASKMILL_TRY(allocations.require(entry.label, tensor.address, entry.bytes));
  entry.address = tensor.address;
  entry.on_device = true;
  return entry;
}

Result<void> check_count(const CallableSpec& spec, std::span<const Argument> arguments) {
  if (arguments.size() == spec.signature.size() + spec.scalar_count) return {};
  const auto scalars = static_cast<uint64_t>(std::ranges::count_if(arguments, is_scalar));
  return fail(ErrorCode::kArgumentCount,
              fmt::format("\"{}\" takes {} and {}, given {} and {}", spec.name, counted(spec.signature.size(), "tensor"),
                          counted(spec.scalar_count, "scalar"), counted(arguments.size() - scalars, "tensor"), counted(scalars, "scalar")));
}

}  // namespace

Result<RunArguments> check_run_arguments(const CallableSpec& spec, std::span<const Argument> arguments,
                                         const AllocationTable& allocations) {
  TASKMILL_TRY(check_count(spec, arguments));
  RunArguments checked;
  for (size_t i = 0; i < spec.signature.size(); ++i) {
    std::string label = argument_label(spec, i);
    if (is_scalar(arguments[i])) return fail(ErrorCode::kArgumentType, label + " is a tensor, given a scalar");
    const auto* host = std::get_if<HostTensor>(&arguments[i]);
    TASKMILL_ASSIGN(tmr::EntryArgument entry,
                    host != nullptr ? check_host(std::move(label), spec.signature[i], *host)
                                    : check_device(std::move(label), spec.signature[i], std::get<DeviceTensor>(arguments[i]), allocations));
    checked.tensors.push_back(std::move(entry));
  }
  for (size_t i = spec.signature.size(); i < arguments.size(); ++i) {
    if (!is_scalar(arguments[i])) {
      return fail(ErrorCode::kArgumentType,
                  fmt::format("argument {} of \"{}\" is a scalar, given a tensor: tensors come first", i, spec.name));
    }
    checked.scalars.push_back(std::get<uint64_t>(arguments[i]));
  }
  return checked;
}

}  // namespace taskmill
