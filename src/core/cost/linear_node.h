// Linear layers that files write as several nodes: a product with weights, or with a part of them,
// and the sum with a bias.
#pragma once

#include "strata/cost/layers.h"

namespace strata {

// The kind of a node as tools see it: a product with a part of stored weights is Linear, too.
LayerKind counted_kind(const Graph& graph, const Node& node);

// True if a node adds a stored vector, or a part of one.
bool adds_bias(const Graph& graph, const Node& node);
// The node of the same module that adds a stored bias to the result of node `product`; kNone if the
// first node that reads the result does something else. Both are indices into costs.nodes.
std::uint32_t bias_of(const Costs& costs, std::uint32_t product);

}  // namespace strata
