// Failures inside the plugin are thrown, as ONNX Runtime's interface does; none leaves
// the functions of the contract.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "api.h"
#include "strata/base/result.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

struct Failure {
  StrataStatus status;
  std::string message;
};

// The value, or the library's failure as one of this plugin's.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw Failure{STRATA_FAILED, result.error().message};
  return std::move(*result);
}

// Writes the sentence and returns the status.
StrataStatus report(StrataError* error, StrataStatus status, std::string_view message);

// The meaning of an exception from ONNX Runtime, without places in its source code.
Failure explain(const Ort::Exception& thrown);

// Wraps a function of the contract whose last argument is the error.
template <auto Function, class... Args>
StrataStatus guarded(Args... args, StrataError* error) noexcept {
  try {
    Function(args...);
    return STRATA_OK;
  } catch (const Failure& failure) {
    return report(error, failure.status, failure.message);
  } catch (const Ort::Exception& thrown) {
    const Failure failure = explain(thrown);
    return report(error, failure.status, failure.message);
  } catch (const std::bad_alloc&) {
    return report(error, STRATA_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return report(error, STRATA_FAILED, thrown.what());
  }
}

}  // namespace strata::ort
