#include "cost/torch_view.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "cost/einsum_facts.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {
constexpr int kMaxChain = 64;  // longer chains of views are not followed

bool is_one_of(std::span<const std::string_view> ops, const Node& node) {
  return node.domain == kAten && !node.inputs.empty() && node.inputs[0] != kNone &&
         std::find(ops.begin(), ops.end(), node.op) != ops.end();
}

}  // namespace

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

OrderUnknown order_unknown(const Graph& graph, const Node& node, const std::vector<bool>& unknown) {
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  if (rule == nullptr) return {};
  const auto is_unknown = [&](TensorId id) { return id != kNone && unknown[id]; };
  const bool first = !node.inputs.empty() && is_unknown(node.inputs[0]);
  const Traits& traits = rule->traits;
  if (traits.op == Op::Einsum) return {.outputs = turns_product(NodeView(graph, node))};
  if (traits.copies_unordered) return {.may_copy = first};
  // Sums and the like leave their results in the order of their inputs.
  if (traits.kind == LayerKind::Elementwise || traits.activation)
    return {.outputs = std::any_of(node.inputs.begin(), node.inputs.end(), is_unknown)};
  return {.outputs = first && torch_view(graph, node, true).shares};
}

bool copies_whole_memory(const Node& node) {
  constexpr std::string_view kOps[] = {"copy", "slice_scatter", "select_scatter",
                                       "diagonal_scatter", "as_strided_scatter"};
  return is_one_of(kOps, node);
}

bool sums_in_place(const Node& node) {
  constexpr std::string_view kOps[] = {"mse_loss", "smooth_l1_loss", "soft_margin_loss",
                                       "binary_cross_entropy", "col2im"};
  return is_one_of(kOps, node);
}

bool makes_literal(const Node& node) {
  constexpr std::string_view kOps[] = {"lift_fresh"};
  return is_one_of(kOps, node);
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
