// For plugins that link the library: its failures as failures of the plugin.
#pragma once

#include <utility>

#include "engines/plugin_failure.h"
#include "strata/base/result.h"

namespace strata::plugin {

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw Failure{STRATA_FAILED, result.error().message};
  return std::move(*result);
}

}  // namespace strata::plugin
