// An identifier for a network's structure, independent of its weights.
#pragma once

#include <string>

#include "strata/graph/graph.h"

namespace strata {

// 16 hex digits (FNV-1a) over the operators, names, attributes, the shapes of the inputs and the
// sizes of stored tensors. Two exports of one network have the same hash; a network with another
// width, stride or input has a different one.
std::string graph_hash(const Model& model);

}  // namespace strata
