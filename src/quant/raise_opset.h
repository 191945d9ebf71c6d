// Networks of older operator sets in a newer one.
#pragma once

#include "quant/edit.h"
#include "strata/base/result.h"

namespace strata {

// Into operator set `version`, at most 13, if the network is in an older one; 13 is the
// first in which scales can be by channel. Operators that are written in another way there
// are changed; one that means something else there, depending on what is not known, is an
// error that names it. Sets before 7 are refused. A file from before stored tensors could be
// constants gets the version that goes with it.
Status raise_opset(GraphEdit& edit, std::int32_t version);

}  // namespace strata
