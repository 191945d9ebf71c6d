// Failures inside the plugin are thrown, as ONNX Runtime's interface does; none leaves
// the functions of the contract.
#pragma once

#include "api.h"
#include "engines/plugin_result.h"

namespace strata::ort {

using plugin::Failure;
using plugin::value_or_throw;

// The meaning of an exception from ONNX Runtime, without places in its source code.
Failure explain(const Ort::Exception& thrown);
// The meaning of the exception that is being handled.
Failure explain_current();

}  // namespace strata::ort
