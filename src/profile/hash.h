// A name for what a network is, apart from its weights.
#pragma once

#include <string>

#include "strata/graph/graph.h"

namespace strata {

// 16 hex digits (FNV-1a) over the operators, names, attributes, the shapes of the
// inputs and the sizes of stored tensors. Two exports of one network agree; another
// width, stride or input does not.
std::string graph_hash(const Model& model);

}  // namespace strata
