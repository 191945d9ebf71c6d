#include "cost/load_work.h"

#include <algorithm>

#include "ops/registry.h"

namespace strata {

namespace {

bool is_known_by_value(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) {
    return id != kNone && graph.tensors[id].value != nullptr;
  });
}

}  // namespace

Constants captured_of(const Graph& graph, const Constants* outer) {
  Constants own(graph.tensors.size(), false);
  if (outer == nullptr || outer->empty()) return own;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.role == Role::Captured && tensor.outer != kNone) own[id] = (*outer)[tensor.outer];
  }
  return own;
}

void mark_of_sizes(ConstantTensors& known, const Node& node) {
  const bool of_sizes = std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
    return id != kNone && (!known.constants[id] || known.of_sizes[id]);
  });
  if (!of_sizes) return;
  for (const TensorId id : node.outputs)
    if (id != kNone) known.of_sizes[id] = true;
}

bool is_load_work(const Graph& graph, const ConstantTensors& known, const Node& node,
                  const OpRule* rule, const NodeCost& cost) {
  if (rule != nullptr && (rule->traits.op == Op::Constant || rule->passes_weights)) return false;
  const bool works =
      !cost.macs.is(0) || !cost.adds.is(0) || !cost.muls.is(0) || !cost.specials.is(0);
  const bool of_sizes = std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](TensorId id) { return id != kNone && known.of_sizes[id]; });
  return works && !of_sizes && !is_known_by_value(graph, node);
}

bool is_made_of(const Constants& made_by_work, const Graph& graph, const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](TensorId id) { return id != kNone && made_by_work[id]; }) &&
         !is_known_by_value(graph, node);
}

}  // namespace strata
