// For plugins: failures inside of a plugin are thrown, and each function of the contract returns
// them as a status and a sentence.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "strata/engine/plugin.h"

namespace strata::plugin {

struct Failure {
  StrataStatus status;
  std::string message;
};

// Writes the sentence, as much of it as there is room for, and returns the status.
inline StrataStatus report(StrataError* error, StrataStatus status, std::string_view message) {
  if (error == nullptr) return status;
  const std::size_t length = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = 0;
  return status;
}

// Wraps a function of the contract whose last argument is the error. `Explain` says what the
// exception that is being handled means.
template <auto Function, Failure (*Explain)(), class... Args>
StrataStatus guarded(Args... args, StrataError* error) noexcept {
  try {
    Function(args...);
    return STRATA_OK;
  } catch (...) {
    try {
      const Failure failure = Explain();
      return report(error, failure.status, failure.message);
    } catch (...) {
      return report(error, STRATA_OUT_OF_MEMORY, "out of memory");
    }
  }
}

}  // namespace strata::plugin
