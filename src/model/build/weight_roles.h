// Chooses the distribution of each stored tensor's elements by what reads it.
#pragma once

#include <unordered_map>

#include "build/random_elements.h"
#include "strata/graph/graph.h"

namespace strata::build {

using Distributions = std::unordered_map<const TensorData*, Distribution>;

// Covers the tensors that some node reads; for the rest, a Distribution's defaults are good enough.
Distributions distributions(const Model& model);

}  // namespace strata::build
