// A file of weights as a side of a comparison.
#pragma once

#include <string>

#include "strata/compare/side.h"
#include "strata/read/weights.h"

namespace strata::compare {

// Tensors with their parameters and bytes; there are no other measures. The kind is `weights`.
Side side_of(const Weights& weights, std::string label);

}  // namespace strata::compare
