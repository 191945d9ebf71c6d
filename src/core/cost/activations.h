// All tensors of a model in one numbering, and which of them are activations: data that depends on
// the network's inputs. Stored tensors, values computed from stored values alone and values that
// depend only on shapes are not activations.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "strata/cost/cost.h"

namespace strata {

class Activations {
 public:
  Activations(const Model& model, const Costs& costs);

  // The number of a tensor. A captured tensor has the number of the tensor it refers to.
  std::uint32_t id(const Graph& graph, TensorId tensor) const { return ids_[base(graph) + tensor]; }
  std::size_t size() const { return ids_.size(); }
  bool is_activation(std::uint32_t id) const { return is_activation_[id]; }
  const Graph& graph_of(std::uint32_t id) const { return *places_[id].graph; }
  TensorId tensor_of(std::uint32_t id) const { return places_[id].tensor; }
  const Tensor& tensor(std::uint32_t id) const { return graph_of(id).tensors[tensor_of(id)]; }

 private:
  struct Place {
    const Graph* graph;
    TensorId tensor;
  };
  std::size_t base(const Graph& graph) const {
    if (&graph != last_) last_ = &graph, last_base_ = bases_.at(&graph);
    return last_base_;
  }

  std::unordered_map<const Graph*, std::size_t> bases_;
  std::vector<std::uint32_t> ids_;
  std::vector<Place> places_;
  std::vector<bool> is_activation_;
  mutable const Graph* last_ = nullptr;  // consecutive calls mostly ask about one graph
  mutable std::size_t last_base_ = 0;
};

// The bodies of a node: branches of an If, the inside of a loop.
template <class Visit>
void for_each_body(const Node& node, const Visit& visit) {
  for (const Attribute& attribute : node.attributes) {
    if (const auto* body = std::get_if<Graph*>(&attribute.value);
        body != nullptr && *body != nullptr)
      visit(**body);
    if (const auto* bodies = std::get_if<std::span<Graph* const>>(&attribute.value))
      for (const Graph* one : *bodies)
        if (one != nullptr) visit(*one);
  }
}

}  // namespace strata
