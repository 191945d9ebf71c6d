// What the elements of each stored tensor are drawn from, by what reads it.
#pragma once

#include <unordered_map>

#include "strata/graph/graph.h"
#include "zoo/random_elements.h"

namespace strata::zoo {

using Distributions = std::unordered_map<const TensorData*, Distribution>;

// Those that some node reads; for the rest a Distribution's defaults do.
Distributions distributions(const Model& model);

}  // namespace strata::zoo
