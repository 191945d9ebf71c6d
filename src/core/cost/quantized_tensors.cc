#include "strata/cost/quantized_tensors.h"

#include <algorithm>

#include "ops/node_view.h"
#include "ops/registry.h"
#include "strata/cost/cost.h"

namespace strata {

namespace {

// Finds the nodes that engines run in integers, by what their rows state (Traits::int8).
class Finder {
 public:
  Finder(const Graph& graph, const Costs& costs)
      : graph_(graph),
        constant_(graph.tensors.size()),
        readers_(graph.tensors.size(), 0),
        reader_(graph.tensors.size(), kNone) {
    for (TensorId id = 0; id < graph.tensors.size(); ++id)
      constant_[id] = graph.tensors[id].role == Role::Initializer;
    for (const Executed& executed : costs.nodes) {
      if (executed.graph != &graph) continue;
      const Node& node = executed.get();
      for (TensorId id : node.inputs)
        if (id != kNone) ++readers_[id], reader_[id] = executed.node;
      if (executed.cost->folded)
        for (TensorId id : node.outputs)
          if (id != kNone) constant_[id] = true;
    }
    for (TensorId id : graph.outputs)
      if (id != kNone) readers_[id] += 2;  // nobody reads it alone
  }

  bool is_constant(TensorId id) const { return constant_[id]; }

  bool dequantizes(NodeId node) const {
    return node != kNone && traits_of(graph_.nodes[node]).quantized == Quantized::Dequantizes;
  }
  bool is_dequantized(TensorId id) const { return dequantizes(graph_.tensors[id].producer); }

  // The QuantizeLinear that alone reads a tensor, perhaps after a function that its range does:
  // kNone if there is none. `between` gets that function.
  NodeId quantizes(TensorId id, NodeId& between) const {
    if (id == kNone || readers_[id] != 1) return kNone;
    const NodeId reader = reader_[id];
    const Node& node = graph_.nodes[reader];
    const Traits& traits = traits_of(node);
    if (node.inputs.empty() || node.inputs[0] != id) return kNone;
    if (traits.quantized == Quantized::Quantizes && node.outputs.size() == 1) return reader;
    if (traits.int8 != Int8Use::Absorbed || between != kNone || node.outputs.empty()) return kNone;
    between = reader;
    return quantizes(node.outputs[0], between);
  }

  // True if everything that it multiplies, adds or passes on comes from integers.
  bool reads_integers(const Node& node) const {
    if (node.inputs.empty() || node.inputs[0] == kNone || node.outputs.empty()) return false;
    const Traits& traits = traits_of(node);
    const auto has = [&](std::size_t slot) {
      return slot < node.inputs.size() && node.inputs[slot] != kNone;
    };
    const auto dequantized = [&](std::size_t slot) {
      return has(slot) && is_dequantized(node.inputs[slot]);
    };
    // A bias, too: kernels add it to their sums of integers.
    if (traits.int8_output != Int8Output::Unknown)
      return dequantized(traits.data) &&
             dequantized(traits.weights == kNoInput ? 1 : traits.weights) &&
             (traits.bias == kNoInput || !has(traits.bias) || dequantized(traits.bias));
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNone && !traits.int8_any_outputs) return false;
    switch (traits.int8_of ? traits.int8_of(NodeView(graph_, node)) : traits.int8) {
      case Int8Use::Passing:
      case Int8Use::Absorbed:
        return dequantized(0);
      case Int8Use::Arithmetic:
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot)
          if (!dequantized(slot)) return false;
        return true;
      default:
        return false;
    }
  }

 private:
  const Graph& graph_;
  std::vector<bool> constant_;
  std::vector<std::uint32_t> readers_;  // by tensor: how many nodes read it
  std::vector<NodeId> reader_;          // by tensor: the last of them
};

}  // namespace

QuantizedTensors::QuantizedTensors(const Model& model, const Costs& costs) {
  if (!costs.dequantizes) return;
  const Graph& graph = model.graph();
  graph_ = &graph;
  const Finder find(graph, costs);
  computes_.resize(graph.nodes.size());
  passes_.resize(graph.nodes.size());
  types_.resize(graph.tensors.size(), DType::Undefined);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (passes_[id] || !find.reads_integers(node)) continue;
    NodeId between = kNone;
    const Int8Output output = traits_of(node).int8_output;
    const bool may_give_floats = output == Int8Output::Either || output == Int8Output::Floats;
    // Each output in use is quantized, or the kernel gives floats.
    std::vector<std::pair<NodeId, NodeId>> ends;  // QuantizeLinear, and the function before it
    bool all = true;
    for (TensorId out : node.outputs) {
      if (out == kNone) continue;
      between = kNone;
      const NodeId end = find.quantizes(out, between);
      all = all && end != kNone;
      ends.emplace_back(end, between);
    }
    if (!all && !may_give_floats) continue;
    computes_[id] = true;
    if (!all) continue;
    auto next = ends.begin();
    for (TensorId out : node.outputs) {
      if (out == kNone) continue;
      const auto [end, function] = *next++;
      const DType type = graph.tensors[graph.nodes[end].outputs[0]].type->dtype;
      types_[out] = type;
      passes_[end] = true;
      if (function == kNone) continue;
      passes_[function] = true;
      types_[graph.nodes[function].outputs[0]] = type;
    }
  }
  // A tensor that only integer kernels read is never made into floats.
  std::vector<bool> needs_floats(graph.tensors.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id)
    if (!computes_[id])
      for (TensorId in : graph.nodes[id].inputs)
        if (in != kNone) needs_floats[in] = true;
  for (const Graph& body : model.graphs)
    if (body.parent == &graph)
      for (const Tensor& tensor : body.tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone)
          needs_floats[tensor.outer] = true;
  for (TensorId out : graph.outputs)
    if (out != kNone) needs_floats[out] = true;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!find.dequantizes(id)) continue;
    const Node& node = graph.nodes[id];
    if (node.outputs.empty() || node.outputs[0] == kNone || node.inputs.empty()) continue;
    const TensorId out = node.outputs[0];
    if (needs_floats[out] || find.is_constant(out)) continue;
    passes_[id] = true;
    types_[out] = graph.tensors[node.inputs[0]].type->dtype;
  }
}

DType QuantizedTensors::type_of(const Graph& graph, TensorId tensor) const {
  if (is_own(graph) && types_[tensor] != DType::Undefined) return types_[tensor];
  return graph.tensors[tensor].type->dtype;
}

TypeInfo QuantizedTensors::held(const Graph& graph, TensorId tensor) const {
  TypeInfo type = graph.tensors[tensor].type;
  type.dtype = type_of(graph, tensor);
  return type;
}

Expr QuantizedTensors::bytes_of(const Graph& graph, TensorId tensor) const {
  const TypeInfo& type = graph.tensors[tensor].type;
  if (type.kind != ValueKind::Tensor || !type.ranked) return Expr::unknown();
  return bytes(elements(type.dims), type_of(graph, tensor));
}

bool QuantizedTensors::passes(const Graph& graph, NodeId node) const {
  return is_own(graph) && passes_[node];
}

TensorId QuantizedTensors::read_by(const Graph& graph, NodeId node, TensorId input) const {
  if (!is_own(graph) || !computes_[node]) return input;
  const NodeId producer = graph.tensors[input].producer;
  if (producer == kNone) return input;
  const Node& made = graph.nodes[producer];
  if (traits_of(made).quantized != Quantized::Dequantizes || made.inputs.empty()) return input;
  return made.inputs[0] == kNone ? input : made.inputs[0];
}

}  // namespace strata
