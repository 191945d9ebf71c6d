// Failures inside the plugin are thrown, as ONNX Runtime's interface does; none passes
// the functions of the contract.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

struct Failure {
  StrataStatus status;
  std::string message;
};

// Writes a sentence and gives the status back.
StrataStatus report(StrataError* error, StrataStatus status, std::string_view message);

// What an exception of ONNX Runtime's means, without the places in its sources.
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
