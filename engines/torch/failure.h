// Failures inside the plugin are thrown, as libtorch does; none leaves the functions of the
// contract.
#pragma once

#include "engines/plugin_failure.h"

namespace strata::libtorch {

using plugin::Failure;

// The meaning of the exception that is being handled: one sentence, without a trace of libtorch's
// own source code.
Failure explain_current();

}  // namespace strata::libtorch
