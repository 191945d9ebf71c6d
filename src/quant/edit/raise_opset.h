// Converts networks of older operator sets to a newer one.
#pragma once

#include "edit/edit.h"
#include "strata/base/result.h"

namespace strata {

// Converts to operator set `version`, at most 13, if the network is in an older one; 13 is the
// first with a scale per channel. Operators that are written differently there are changed; if an
// operator would mean something else there, depending on something unknown, the error names it.
// Sets before 7 are refused. A file from before stored tensors could be constants gets the matching
// IR version.
Status raise_opset(GraphEdit& edit, std::int32_t version);

}  // namespace strata
