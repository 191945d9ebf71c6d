#include "cost/activations.h"

namespace strata {

Activations::Activations(const Model& model, const Costs& costs) {
  std::size_t count = 0;
  for (const Graph& graph : model.graphs) {
    bases_.emplace(&graph, count);
    count += graph.tensors.size();
  }
  ids_.reserve(count);
  places_.reserve(count);
  is_activation_.reserve(count);
  // A body comes after the graph around it, so the outer tensor already has its number.
  for (const Graph& graph : model.graphs)
    for (TensorId i = 0; i < graph.tensors.size(); ++i) {
      const Tensor& tensor = graph.tensors[i];
      const bool captured = tensor.role == Role::Captured && tensor.outer != kNone &&
                            graph.parent != nullptr && bases_.at(graph.parent) < bases_.at(&graph);
      ids_.push_back(captured ? id(*graph.parent, tensor.outer)
                              : static_cast<std::uint32_t>(ids_.size()));
      places_.push_back({&graph, i});
      is_activation_.push_back(tensor.role != Role::Initializer && tensor.value == nullptr);
    }
  for (const Executed& executed : costs.nodes) {
    if (!executed.cost->folded) continue;
    for (TensorId output : executed.get().outputs)
      if (output != kNone) is_activation_[id(*executed.graph, output)] = false;
  }
}

}  // namespace strata
