// Expected failures are values: a function that can fail returns Result<T>.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "strata/base/error.h"

namespace strata {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Returns a failure of code General: no caller needs to tell it from others.
inline tl::unexpected<Error> failure(std::string message, ErrorKind kind = ErrorKind::Model) {
  return tl::unexpected<Error>(Error{std::move(message), kind});
}
// Returns a failure with the code's own sentence, in which the fields are filled in.
inline tl::unexpected<Error> failure(Code code, ErrorFields fields = {}) {
  return tl::unexpected<Error>(make_error(code, std::move(fields)));
}
// Returns a failure with a sentence in the caller's words.
inline tl::unexpected<Error> failure(Code code, ErrorFields fields, std::string message) {
  return tl::unexpected<Error>(make_error(code, std::move(fields), std::move(message)));
}
inline tl::unexpected<Error> failure(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

// Passes on the error of another result: `if (!model) return failure(model);`
template <class T, class E>
tl::unexpected<E> failure(const tl::expected<T, E>& failed) {
  return tl::unexpected<E>(failed.error());
}
// Passes on an error with its place in front: `return failure_in("sample 3", read)`.
template <class T>
tl::unexpected<Error> failure_in(std::string_view where, const Result<T>& failed) {
  return tl::unexpected<Error>(error_in(where, failed.error()));
}

}  // namespace strata
