// Checks invariants of every model that a reader returns.
#pragma once

#include <cstdlib>

#include "strata/graph/graph.h"

namespace strata::fuzz {

inline void check(const Model& model) {
  for (const Graph& graph : model.graphs) {
    for (NodeId i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      if (node.scope >= model.scopes.size()) std::abort();
      for (const TensorId id : node.inputs) {
        if (id == kNone) continue;
        const Tensor& tensor = graph.tensors.at(id);
        if (tensor.producer != kNone && tensor.producer >= i) std::abort();
      }
      for (const TensorId id : node.outputs)
        if (id != kNone && graph.tensors.at(id).producer != i) std::abort();
    }
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.role == Role::Initializer && tensor.data == nullptr) std::abort();
      if (tensor.role == Role::Captured && graph.parent->tensors.size() <= tensor.outer)
        std::abort();
    }
    for (const TensorId id : graph.outputs)
      if (id >= graph.tensors.size()) std::abort();
  }
  for (std::size_t i = 1; i < model.scopes.size(); ++i)
    if (model.scopes[i].parent >= i) std::abort();
}

}  // namespace strata::fuzz
