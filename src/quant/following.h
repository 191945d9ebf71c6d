// What follows a linear operator and belongs to its layer.
#pragma once

#include <vector>

#include "quant/links.h"
#include "strata/cost/layers.h"

namespace strata {

// An activation function in as many nodes as its exporter needs: Relu, or the eight of a
// GELU with tanh.
struct ActivationNodes {
  LayerKind kind = LayerKind::Other;  // Other for a Clip that is no ReLU6
  std::vector<NodeId> nodes;          // in running order; empty: none follows
  TensorId output = kNone;
};
// The one that reads `x`, if nothing else does.
ActivationNodes activation_after(const Graph& graph, const Links& links, TensorId x);

// The BatchNormalization that alone reads `x` and has nothing but stored parameters; kNone
// if there is none.
NodeId norm_after(const Graph& graph, const Links& links, TensorId x);

// The Add of a stored vector that alone reads `x`, and the vector.
struct BiasAdd {
  NodeId node = kNone;
  TensorId bias = kNone;
};
BiasAdd bias_after(const Graph& graph, const Links& links, TensorId x, std::int64_t width);

// The same behind a convolution, whose channels are the second of `rank` axes: a stored tensor of
// [1, C, 1, 1] or [C, 1, 1], or one that a Reshape brings there, as PaddlePaddle writes it. Needs
// inferred types.
BiasAdd channel_bias_after(const Graph& graph, const Links& links, TensorId x,
                           std::int64_t channels, std::size_t rank);
// What an Add of `x` adds: the stored tensor, before it is reshaped; kNone if it is none.
TensorId stored_addend(const Graph& graph, const Node& add, TensorId x);

}  // namespace strata
