#include "cost/torch_view.h"

#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {
constexpr int kMaxChain = 64;  // longer chains of views are not followed
}

TorchView torch_view(const Graph& graph, const Node& node, bool input_ordered) {
  const NodeView view(graph, node);
  if ((!node.domain.empty() && node.domain != kAten) || !view.has(0)) return {};
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  if (rule == nullptr) return {};
  const Traits& traits = rule->traits;
  if (traits.copies_unordered) return {input_ordered, true};
  if (rule->view && traits.strided == nullptr) return {true, input_ordered};
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

bool is_contiguous(const Graph& graph, TensorId tensor) {
  for (int i = 0; i < kMaxChain && tensor != kNone; ++i) {
    const NodeId producer = graph.tensors[tensor].producer;
    if (producer == kNone) return true;
    const Node& node = graph.nodes[producer];
    const bool from_ordered = torch_view(graph, node, true).ordered;
    if (from_ordered == torch_view(graph, node, false).ordered) return from_ordered;
    tensor = node.inputs[0];
  }
  return true;
}

}  // namespace strata
