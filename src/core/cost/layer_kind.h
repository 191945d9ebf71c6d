// The kind of layer that a group of nodes forms, judged by its operators.
#pragma once

#include "strata/cost/layers.h"

namespace strata {

// The kind of one node by itself; Unknown if its operator is unknown.
LayerKind kind_of_node(const Graph& graph, const Node& node);
LayerKind kind_of_layer(const Model& model, const Costs& costs, const Layers& layers,
                        const Layer& layer);

// True for the kinds that usually follow a convolution.
bool is_norm(LayerKind kind);
bool is_activation(LayerKind kind);

}  // namespace strata
