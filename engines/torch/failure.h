// Failures inside the plugin are thrown, as libtorch does; none leaves the functions of the
// contract.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "strata/engine/plugin.h"

namespace strata::libtorch {

struct Failure {
  StrataStatus status;
  std::string message;
};

// Writes the sentence and returns the status.
StrataStatus report(StrataError* error, StrataStatus status, std::string_view message);

// What the exception that is being handled means: one sentence, without a trace of libtorch's own
// source code.
Failure explain_current();

// Wraps a function of the contract whose last argument is the error.
template <auto Function, class... Args>
StrataStatus guarded(Args... args, StrataError* error) noexcept {
  try {
    Function(args...);
    return STRATA_OK;
  } catch (...) {
    const Failure failure = explain_current();
    return report(error, failure.status, failure.message);
  }
}

}  // namespace strata::libtorch
