// Failures inside the plugin are thrown; none leaves the functions of the contract.
#pragma once

#include "engines/plugin_result.h"

namespace strata::openvino {

using plugin::Failure;
using plugin::value_or_throw;

// The meaning of the exception that is being handled, without places in OpenVINO's source code.
Failure current_failure();

}  // namespace strata::openvino
