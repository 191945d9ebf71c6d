#include "quant/following.h"

#include <algorithm>
#include <array>

#include "cost/layer_kind.h"
#include "ops/node_view.h"

namespace strata {

namespace {

constexpr std::size_t kMostNodes = 12;

// Arithmetic that activation functions are written with.
bool is_arithmetic(std::string_view op) {
  constexpr std::array<std::string_view, 7> kOps = {"Add", "Sub",  "Mul",     "Div",
                                                    "Pow", "Sqrt", "Identity"};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

// What an activation function in several nodes is, by the one that is no arithmetic. `gated`: two
// tensors are multiplied, as in x · sigmoid(x).
LayerKind kind_of_curve(std::string_view op, bool gated) {
  if (op == "Sigmoid") return gated ? LayerKind::SiLU : LayerKind::Sigmoid;
  // x · clip(x + 3, 0, 6) / 6, as older exporters and PaddlePaddle write it.
  if (op == "HardSigmoid" || op == "Clip")
    return gated ? LayerKind::Hardswish : LayerKind::Hardsigmoid;
  if (op == "Tanh" && !gated) return LayerKind::Tanh;
  if (op == "Erf" || op == "Tanh") return LayerKind::GELU;
  return LayerKind::Other;
}
bool is_curve(std::string_view op) { return kind_of_curve(op, true) != LayerKind::Other; }

bool is_single(const Graph& graph, const Node& node) {
  return is_activation(kind_of_node(graph, node)) || node.op == "Clip" || node.op == "Selu" ||
         node.op == "Softplus" || node.op == "Mish" || node.op == "ThresholdedRelu";
}

// Nodes that are computed from `x` and stored numbers alone, gathered until only one
// tensor of them is read by others.
class Region {
 public:
  Region(const Graph& graph, const Links& links, TensorId x)
      : graph_(graph), links_(links), inside_{x} {}

  ActivationNodes grow() {
    ActivationNodes found;
    while (nodes_.size() < kMostNodes) {
      const NodeId next = next_node();
      if (next == kNone) break;
      nodes_.push_back(next);
      const Node& node = graph_.nodes[next];
      inside_.push_back(node.outputs[0]);
      if (is_curve(node.op)) curve_ = node.op;
      gated_ = gated_ || is_gate(node);
      if (!curve_.empty() && is_closed())
        found = {kind_of_curve(curve_, gated_), nodes_, node.outputs[0]};
    }
    return found;
  }

 private:
  bool is_inside(TensorId id) const {
    return std::find(inside_.begin(), inside_.end(), id) != inside_.end();
  }
  bool has(NodeId node) const {
    return std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end();
  }
  // In running order, so that all it reads is there before it.
  NodeId next_node() const {
    NodeId next = kNone;
    for (const TensorId id : inside_) {
      if (links_.leaves(id)) continue;
      for (const Reader& reader : links_.readers(id))
        if (!has(reader.node) && fits(graph_.nodes[reader.node]))
          next = std::min(next, reader.node);
    }
    return next;
  }
  bool fits(const Node& node) const {
    if (!node.domain.empty() || node.outputs.size() != 1 || node.outputs[0] == kNone) return false;
    if (is_curve(node.op) ? !curve_.empty() : !is_arithmetic(node.op)) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
      return id != kNone && (is_inside(id) || stored_number(graph_, id).has_value());
    });
  }
  bool is_gate(const Node& node) const {
    return node.op == "Mul" && is_inside(node.inputs[0]) && is_inside(node.inputs[1]);
  }
  // All but the last tensor are read inside only.
  bool is_closed() const {
    for (std::size_t i = 0; i + 1 < inside_.size(); ++i) {
      if (links_.leaves(inside_[i])) return false;
      for (const Reader& reader : links_.readers(inside_[i]))
        if (!has(reader.node)) return false;
    }
    return true;
  }

  const Graph& graph_;
  const Links& links_;
  std::vector<TensorId> inside_;
  std::vector<NodeId> nodes_;
  std::string_view curve_;  // the operator that is no arithmetic
  bool gated_ = false;
};

}  // namespace

ActivationNodes activation_after(const Graph& graph, const Links& links, TensorId x) {
  if (links.leaves(x)) return {};
  if (const NodeId next = links.only_reader(x); next != kNone) {
    const Node& node = graph.nodes[next];
    const bool reads_once = node.inputs[0] == x && node.outputs.size() == 1;
    if (node.domain.empty() && reads_once && is_single(graph, node))
      return {kind_of_node(graph, node), {next}, node.outputs[0]};
  }
  return Region(graph, links, x).grow();
}

NodeId norm_after(const Graph& graph, const Links& links, TensorId x) {
  const NodeId next = links.only_reader(x);
  if (next == kNone) return kNone;
  const Node& node = graph.nodes[next];
  const NodeView view(graph, node);
  if (!node.domain.empty() || node.op != "BatchNormalization" || node.inputs.size() < 5 ||
      node.inputs[0] != x || view.integer("training_mode", 0) != 0 ||
      view.integer("spatial", 1) != 1)
    return kNone;
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i] != kNone &&
        (links.leaves(node.outputs[i]) || !links.readers(node.outputs[i]).empty()))
      return kNone;
  for (std::size_t i = 1; i < 5; ++i)
    if (!stored_input(graph, node.inputs[i])) return kNone;
  return next;
}

BiasAdd bias_after(const Graph& graph, const Links& links, TensorId x, std::int64_t width) {
  const NodeId next = links.only_reader(x);
  if (next == kNone) return {};
  const Node& node = graph.nodes[next];
  if (!node.domain.empty() || node.op != "Add" || node.inputs.size() != 2) return {};
  const TensorId other = node.inputs[node.inputs[0] == x ? 1 : 0];
  if (other == x) return {};
  const auto stored = stored_input(graph, other);
  if (!stored || stored->data->dims.size() != 1 || stored->data->dims[0] != width) return {};
  return {next, other};
}

TensorId stored_addend(const Graph& graph, const Node& add, TensorId x) {
  if (!add.domain.empty() || add.op != "Add" || add.inputs.size() != 2) return kNone;
  TensorId other = add.inputs[add.inputs[0] == x ? 1 : 0];
  if (other == x || other == kNone) return kNone;
  if (const NodeId maker = graph.tensors[other].producer; maker != kNone) {
    const Node& reshape = graph.nodes[maker];
    if (reshape.domain.empty() && reshape.op == "Reshape") other = reshape.inputs[0];
  }
  const auto stored = other == kNone ? std::nullopt : stored_input(graph, other);
  return stored && !stored->transposed ? other : kNone;
}

BiasAdd channel_bias_after(const Graph& graph, const Links& links, TensorId x,
                           std::int64_t channels, std::size_t rank) {
  const NodeId next = links.only_reader(x);
  if (next == kNone) return {};
  const Node& node = graph.nodes[next];
  const TensorId bias = stored_addend(graph, node, x);
  if (bias == kNone) return {};
  const TypeInfo& type = graph.tensors[node.inputs[node.inputs[0] == x ? 1 : 0]].type;
  if (!type.ranked || type.dims.size() > rank || type.dims.size() + 1 < rank) return {};
  for (std::size_t i = 0; i < type.dims.size(); ++i) {
    const std::size_t axis = rank - type.dims.size() + i;
    if (type.dims[i].number() != (axis == 1 ? channels : 1)) return {};
  }
  const auto stored = stored_input(graph, bias);
  if (stored->data->dtype != DType::F32) return {};
  return {next, bias};
}

}  // namespace strata
