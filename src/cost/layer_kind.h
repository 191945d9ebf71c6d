// What kind of layer a group of nodes is, judged by its operators.
#pragma once

#include "strata/cost/layers.h"

namespace strata {

// Of one node by itself.
LayerKind kind_of_node(const Graph& graph, const Node& node);
LayerKind kind_of_layer(const Costs& costs, const Layers& layers, const Layer& layer);

// What a convolution is usually followed by.
bool is_norm(LayerKind kind);
bool is_activation(LayerKind kind);

}  // namespace strata
