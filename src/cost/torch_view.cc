#include "cost/torch_view.h"

#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

TorchView torch_view(const Graph& graph, const Node& node, const NodeCost& cost,
                     bool input_ordered) {
  const NodeView view(graph, node);
  if (!node.domain.empty() || !view.has(0)) return {};
  const Traits& traits = traits_of(node);
  if (traits.copies_unordered) return {input_ordered, true};
  if (cost.view) return {true, input_ordered};
  if (!view.ranked(0) || traits.strided == nullptr) return {};
  switch (traits.strided(view)) {
    case Strided::No:
      return {};
    case Strided::InOrder:
      return {true, input_ordered};
    case Strided::OutOfOrder:
      return {true, false};
  }
  return {};
}

}  // namespace strata
