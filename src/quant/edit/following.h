// Finds what follows a linear operator and belongs to its layer.
#pragma once

#include <vector>

#include "edit/links.h"
#include "strata/cost/layers.h"

namespace strata {

// An activation function, in as many nodes as the exporter writes: one for Relu, eight for a
// GELU with tanh.
struct ActivationNodes {
  LayerKind kind = LayerKind::Other;  // Other for a plain Clip, and if torch.nn's kinds lack it
  std::vector<NodeId> nodes;          // in running order; empty: none follows
  TensorId output = kNone;
};
// The activation that reads `x`, if nothing else does.
ActivationNodes activation_after(const Graph& graph, const Links& links, TensorId x);

// The BatchNormalization that is the only reader of `x` and has stored parameters only; kNone
// if there is none.
NodeId norm_after(const Graph& graph, const Links& links, TensorId x);

// An Add of a stored vector that is the only reader of `x`, and the vector.
struct BiasAdd {
  NodeId node = kNone;
  TensorId bias = kNone;
};
BiasAdd bias_after(const Graph& graph, const Links& links, TensorId x, std::int64_t width);

// Like above, after a convolution, whose channels are the second of `rank` axes: a stored tensor of
// [1, C, 1, 1] or [C, 1, 1], or one that a Reshape turns into that shape, as PaddlePaddle writes
// it. Needs inferred types.
BiasAdd channel_bias_after(const Graph& graph, const Links& links, TensorId x,
                           std::int64_t channels, std::size_t rank);
// Returns the stored tensor that an Add adds to `x`, before it is reshaped; kNone if it is not
// stored.
TensorId stored_addend(const Graph& graph, const Node& add, TensorId x);

}  // namespace strata
