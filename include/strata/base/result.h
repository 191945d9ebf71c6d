// Expected failures are values: a function that can fail returns Result<T>.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace strata {

enum class ErrorKind {
  Model,   // the file or the network in it is wrong: exit code 1
  Usage,   // the caller asked for something that does not exist: exit code 2
  Budget,  // a check that the caller set has failed: exit code 3
  Bug,     // strata itself is wrong: exit code 70
};

// One sentence that says what is wrong, where, and what to do.
struct Error {
  std::string message;
  ErrorKind kind = ErrorKind::Model;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> failure(std::string message, ErrorKind kind = ErrorKind::Model) {
  return tl::unexpected<Error>(Error{std::move(message), kind});
}

}  // namespace strata
