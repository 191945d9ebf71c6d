#include "edit/following.h"

#include <algorithm>

#include "cost/layer_kind.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr std::size_t kMaxNodes = 12;

// Arithmetic that activation functions are written with.
bool is_arithmetic(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Pow:
    case Op::Sqrt:
    case Op::Identity:
      return true;
    default:
      return false;
  }
}

bool is_curve(const Traits& traits) { return traits.written_out.plain != LayerKind::Unknown; }

// Nodes that are computed from `x` and stored numbers alone, collected until others read only one
// of their tensors.
class Region {
 public:
  Region(const Graph& graph, const Links& links, TensorId x)
      : graph_(graph), links_(links), inside_{x} {}

  ActivationNodes grow() {
    ActivationNodes found;
    while (nodes_.size() < kMaxNodes) {
      const NodeId next = next_node();
      if (next == kNone) break;
      nodes_.push_back(next);
      const Node& node = graph_.nodes[next];
      inside_.push_back(node.outputs[0]);
      if (const Traits& traits = traits_of(node); is_curve(traits)) curve_ = &traits.written_out;
      gated_ = gated_ || is_gate(node);
      if (curve_ != nullptr && is_closed())
        found = {gated_ ? curve_->gated : curve_->plain, nodes_, node.outputs[0]};
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
  // The next node in running order, so that everything it reads comes before it.
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
    const Traits& traits = traits_of(node);
    if (is_curve(traits) ? curve_ != nullptr : !is_arithmetic(traits.op)) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
      return id != kNone && (is_inside(id) || stored_number(graph_, id).has_value());
    });
  }
  bool is_gate(const Node& node) const {
    return traits_of(node).op == Op::Mul && is_inside(node.inputs[0]) && is_inside(node.inputs[1]);
  }
  // True if all tensors but the last are read only inside.
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
  const WrittenOut* curve_ = nullptr;  // of the operator that is not arithmetic
  bool gated_ = false;
};

}  // namespace

ActivationNodes activation_after(const Graph& graph, const Links& links, TensorId x) {
  if (links.leaves(x)) return {};
  if (const NodeId next = links.only_reader(x); next != kNone) {
    const Node& node = graph.nodes[next];
    const bool reads_once = node.inputs[0] == x && node.outputs.size() == 1;
    if (node.domain.empty() && reads_once && traits_of(node).activation)
      return {kind_of_node(graph, node), {next}, node.outputs[0]};
  }
  return Region(graph, links, x).grow();
}

NodeId norm_after(const Graph& graph, const Links& links, TensorId x) {
  const NodeId next = links.only_reader(x);
  if (next == kNone) return kNone;
  const Node& node = graph.nodes[next];
  const NodeView view(graph, node);
  if (!node.domain.empty() || traits_of(node).kind != LayerKind::BatchNorm ||
      node.inputs.size() < 5 || node.inputs[0] != x ||
      view.integer(Attr::Training).value_or(0) != 0 || view.integer("spatial", 1) != 1)
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
  if (traits_of(node).op != Op::Add || node.inputs.size() != 2) return {};
  const TensorId other = node.inputs[node.inputs[0] == x ? 1 : 0];
  if (other == x) return {};
  const auto stored = stored_input(graph, other);
  if (!stored || stored->data->dims.size() != 1 || stored->data->dims[0] != width) return {};
  return {next, other};
}

TensorId stored_addend(const Graph& graph, const Node& add, TensorId x) {
  if (traits_of(add).op != Op::Add || add.inputs.size() != 2) return kNone;
  TensorId other = add.inputs[add.inputs[0] == x ? 1 : 0];
  if (other == x || other == kNone) return kNone;
  if (const NodeId maker = graph.tensors[other].producer; maker != kNone) {
    const Node& reshape = graph.nodes[maker];
    if (traits_of(reshape).op == Op::Reshape) other = reshape.inputs[0];
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
