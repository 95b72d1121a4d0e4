/// @file
/// Errors as values: host code returns Result<T>, never throws across a module boundary.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "taskmill/error.h"

namespace taskmill {

/// Why a call failed.
struct Error {
  ErrorCode code;       ///< from the table of error.h
  std::string message;  ///< names the offending argument, kernel or task and the numbers that mend it
};

/// A T, or the Error that stands in its place. Converts to bool; `*result` is the value, `result.error()` the error.
template <class T>
using Result = tl::expected<T, Error>;

/// A failure to return from a function that gives a Result. The other form passes one on, its message prefixed with what was being done.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) { return tl::unexpected<Error>(Error{code, std::move(message)}); }

inline tl::unexpected<Error> fail(Error cause, const std::string& doing) {
  cause.message = doing + ": " + cause.message;
  return tl::unexpected<Error>(std::move(cause));
}

}  // namespace taskmill

/// Returns the error of `expression` (a Result<void> or any Result whose value is not needed) from the calling function.
#define TASKMILL_TRY(expression)                                                                                          \
  do {                                                                                                                    \
    if (auto taskmill_result = (expression); !taskmill_result) return tl::unexpected(std::move(taskmill_result).error()); \
  } while (false)

/// Declares or assigns `target` from the value of a Result, or returns its error from the calling function.
#define TASKMILL_ASSIGN(target, expression) TASKMILL_ASSIGN_(target, expression, TASKMILL_JOIN_(taskmill_result_, __LINE__))
#define TASKMILL_JOIN_(a, b) TASKMILL_JOIN_AGAIN_(a, b)
#define TASKMILL_JOIN_AGAIN_(a, b) a##b
#define TASKMILL_ASSIGN_(target, expression, result)             \
  auto result = (expression);                                    \
  if (!result) return tl::unexpected(std::move(result).error()); \
  target = *std::move(result)
