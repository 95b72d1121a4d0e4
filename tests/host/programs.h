// The callables of tests/host/programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taskmill/host.h"

namespace taskmill::testing_support {

inline std::filesystem::path program(const std::string& file) { return std::filesystem::path(TASKMILL_TEST_PROGRAMS) / file; }

inline KernelSource kernel(int32_t id, const std::string& name, CoreType core_type = CoreType::kAiv) {
  return {id, name, program(name + ".cpp"), core_type, {}};
}

inline ArgumentSignature argument(const std::string& name, Direction direction, std::optional<DataType> dtype = DataType::kFloat32) {
  return {direction, name, dtype};
}

// Function `function` of graphs.cpp; its name is the callable's.
inline CallableSpec callable(const std::string& function, std::vector<ArgumentSignature> signature, uint32_t scalars,
                             std::vector<KernelSource> kernels) {
  return {function, program("graphs.cpp"), function, std::move(signature), scalars, std::move(kernels), {}, DependencyRules::kNative};
}

inline CallableSpec hello() {
  return callable("hello", {argument("in", Direction::kIn), argument("out", Direction::kOut)}, 0, {kernel(1, "add_scalar")});
}

// in + something = out, by the kernels that all of graphs.cpp's arithmetic needs.
inline CallableSpec in_to_out(const std::string& function) {
  return callable(function, {argument("in", Direction::kIn), argument("out", Direction::kOut)}, 0,
                  {kernel(0, "add"), kernel(1, "add_scalar"), kernel(3, "accumulate")});
}

inline CallableSpec pairs() {
  return callable("pairs", {argument("in", Direction::kIn), argument("sum", Direction::kInout)}, 1,
                  {kernel(1, "add_scalar"), kernel(3, "accumulate")});
}

inline CallableSpec run_one(std::vector<KernelSource> kernels) {
  return callable("run_one", {argument("x", Direction::kInout)}, 1, std::move(kernels));
}

// What pairs() adds to each element of `sum`.
inline float pairs_result(uint32_t pair_count, float in) {
  float sum = 0;
  for (uint32_t i = 0; i < pair_count; ++i) sum += in + static_cast<float>(i);
  return sum;
}

}  // namespace taskmill::testing_support
