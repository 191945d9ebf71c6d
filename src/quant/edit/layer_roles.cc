#include "edit/layer_roles.h"

#include <algorithm>
#include <unordered_set>

#include "ops/registry.h"

namespace strata {

namespace {

constexpr std::size_t kFarthest = 64;  // nodes examined after a layer

// Operators that may come between a projection and the product of an attention.
bool leads_to_product(Op op) {
  switch (op) {
    case Op::Reshape:
    case Op::Transpose:
    case Op::Split:
    case Op::Slice:
    case Op::Gather:
    case Op::Concat:
    case Op::Relu:
    case Op::Mul:
    case Op::Div:
    case Op::Pad:
    case Op::Elu:
    case Op::Sqrt:
    case Op::Unsqueeze:
    case Op::Squeeze:
    case Op::Identity:
    case Op::Softmax:
      return true;
    default:
      return false;
  }
}

// Operators that may come between a layer and the sum of its block.
bool leads_to_sum(Op op) {
  switch (op) {
    case Op::Identity:
    case Op::Dropout:
    case Op::Transpose:
    case Op::Reshape:
    case Op::Slice:
    case Op::Concat:
      return true;
    default:
      return false;
  }
}

bool is_sigmoid(LayerKind kind) {
  return kind == LayerKind::Sigmoid || kind == LayerKind::Hardsigmoid;
}

bool is_sum_or_product(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div;
}

class Roles {
 public:
  Roles(const Model& model, const Links& links, std::vector<QuantLayer>& layers)
      : graph_(model.graph()),
        links_(links),
        layers_(layers),
        made_by_(graph_.tensors.size(), kNone),
        main_of_(graph_.nodes.size(), kNone),
        constant_(constant_tensors(graph_)) {
    for (std::uint32_t i = 0; i < layers.size(); ++i) {
      made_by_[layers[i].output] = i;
      main_of_[layers[i].main] = i;
    }
  }

  void find() {
    find_ends();
    for (QuantLayer& layer : layers_) {
      if (layer.has_activation || layer.role != LayerRole::Plain) continue;
      const QuantLayer* before = layer_before(layer.input);
      if (const Sum sum = sum_after(layer); sum.node != kNone && ends_residual(layer, sum.other)) {
        set_exit(layer, before);
        if (!is_on_the_way(layer.input, sum.other))
          layer_making(sum.other)->role = LayerRole::Shortcut;
      } else if (ends_a_bottleneck(layer, before)) {
        set_exit(layer, before);
      } else if (reaches_product(layer.output)) {
        layer.role = layer.pointwise && layer.neither() && before != nullptr && before->neither() &&
                             reaches_product_through(*before)
                         ? LayerRole::AttentionScaling
                         : LayerRole::AttentionInput;
      }
    }
  }

 private:
  void find_ends() {
    const std::size_t tensors = graph_.tensors.size();
    std::vector<bool> behind(tensors, false), ahead(tensors, false);
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      bool any = main_of_[n] != kNone;
      for (const TensorId id : graph_.nodes[n].inputs) any = any || (id != kNone && behind[id]);
      for (const TensorId id : graph_.nodes[n].outputs)
        if (id != kNone) behind[id] = any;
    }
    for (NodeId n = static_cast<NodeId>(graph_.nodes.size()); n-- > 0;) {
      bool any = main_of_[n] != kNone;
      for (const TensorId id : graph_.nodes[n].outputs) any = any || (id != kNone && ahead[id]);
      for (const TensorId id : graph_.nodes[n].inputs)
        if (id != kNone && any) ahead[id] = true;
    }
    for (QuantLayer& layer : layers_) {
      layer.first = !behind[layer.input];
      layer.last = !ahead[layer.output];
    }
  }

  struct Sum {
    NodeId node = kNone;
    TensorId other = kNone;  // what is added to it
  };
  // The Add of two activations that is the only reader of a layer's output.
  Sum sum_after(const QuantLayer& layer) const {
    TensorId id = layer.output;
    for (int step = 0; step < 8; ++step) {
      const NodeId next = links_.only_reader(id);
      if (next == kNone) return {};
      const Node& node = graph_.nodes[next];
      const bool two = node.inputs.size() == 2 && node.inputs[1] != kNone;
      const Op op = traits_of(node).op;
      if (op == Op::Add && two && !constant_[node.inputs[0]] && !constant_[node.inputs[1]])
        return {next, node.inputs[node.inputs[0] == id ? 1 : 0]};
      // A factor for each channel, with which some networks scale their branches.
      const bool scales =
          op == Op::Mul && two && (constant_[node.inputs[0]] || constant_[node.inputs[1]]);
      if (!scales && !leads_to_sum(op)) return {};
      id = node.outputs[0];
    }
    return {};
  }

  // The other addend is the start of the block, or one layer away from it.
  bool ends_residual(const QuantLayer& layer, TensorId other) const {
    if (is_on_the_way(layer.input, other)) return true;
    const QuantLayer* beside = layer_making(other);
    return beside != nullptr && beside != &layer && !beside->has_activation &&
           beside->input != layer.input && is_on_the_way(layer.input, beside->input);
  }
  QuantLayer* layer_making(TensorId id) const {
    return made_by_[id] == kNone ? nullptr : &layers_[made_by_[id]];
  }

  // The input that carries the node's data: not a gate, and not stored.
  TensorId main_input(const Node& node) const {
    if (node.inputs.empty()) return kNone;
    const bool pick = node.inputs.size() == 2 && is_sum_or_product(traits_of(node).op);
    return node.inputs[pick && is_gate(node.inputs[0]) ? 1 : 0];
  }
  // True if `wanted` is reached going back from `id`, past layers.
  bool is_on_the_way(TensorId id, TensorId wanted) const {
    for (std::size_t step = 0; step < kFarthest && id != kNone; ++step) {
      if (id == wanted) return true;
      if (made_by_[id] != kNone) {
        id = layers_[made_by_[id]].input;
        continue;
      }
      const NodeId producer = graph_.tensors[id].producer;
      if (producer == kNone) return false;
      id = main_input(graph_.nodes[producer]);
    }
    return false;
  }

  bool is_read_by_layer(TensorId id) const {
    const auto readers = links_.readers(id);
    return std::any_of(readers.begin(), readers.end(),
                       [&](const Reader& reader) { return main_of_[reader.node] != kNone; });
  }

  // The layer that a tensor comes from, past gates (squeeze and excitation) and the like.
  const QuantLayer* layer_before(TensorId id) const {
    for (std::size_t step = 0; step < kFarthest && id != kNone; ++step) {
      if (made_by_[id] != kNone) return &layers_[made_by_[id]];
      const NodeId producer = graph_.tensors[id].producer;
      if (producer == kNone) return nullptr;
      const Node& node = graph_.nodes[producer];
      if (const Op op = traits_of(node).op; op == Op::Add || op == Op::Concat) return nullptr;
      id = main_input(node);
    }
    return nullptr;
  }
  bool is_gate(TensorId id) const {
    if (id == kNone || constant_[id]) return true;
    if (made_by_[id] != kNone) return is_sigmoid(layers_[made_by_[id]].activation);
    const NodeId producer = graph_.tensors[id].producer;
    return producer != kNone && is_sigmoid(traits_of(graph_.nodes[producer]).kind);
  }

  std::int64_t width(const QuantLayer& layer) const {
    const auto weight = stored_input(graph_, layer.weight);
    return weight->data->dims[static_cast<std::size_t>(layer.weight_axis)];
  }

  // Without a sum, only a convolution that reduces the number of channels is recognised as an exit.
  bool ends_a_bottleneck(const QuantLayer& layer, const QuantLayer* before) const {
    if (!layer.pointwise || before == nullptr || !before->has_activation || before->pointwise ||
        before->kind != LayerKind::Conv)
      return false;
    if (before->depthwise) return true;
    return width(*before) > width(layer) && (layer.has_norm || is_read_by_layer(layer.output));
  }

  void set_exit(QuantLayer& layer, const QuantLayer* before) const {
    layer.role = LayerRole::BlockExit;
    layer.exit_of = BlockKind::Residual;
    if (before == nullptr || before->kind != LayerKind::Conv || !layer.pointwise ||
        before->pointwise)
      return;
    if (before->depthwise)
      layer.exit_of = BlockKind::MBConv;
    else if (width(*before) >= width(layer))
      layer.exit_of = BlockKind::FusedMBConv;
  }

  bool reaches_product(TensorId start) const {
    std::vector<TensorId> open{start};
    std::unordered_set<NodeId> seen;
    while (!open.empty() && seen.size() < kFarthest) {
      const TensorId id = open.back();
      open.pop_back();
      for (const Reader& reader : links_.readers(id)) {
        const Node& node = graph_.nodes[reader.node];
        if (main_of_[reader.node] != kNone || !seen.insert(reader.node).second) continue;
        const Op op = traits_of(node).op;
        if (op == Op::Einsum || op == Op::Attention) return true;
        if (op == Op::MatMul) return !constant_[node.inputs[0]] && !constant_[node.inputs[1]];
        if (leads_to_product(op))
          for (const TensorId out : node.outputs)
            if (out != kNone) open.push_back(out);
      }
    }
    return false;
  }
  // Directly, or through the layers that read it.
  bool reaches_product_through(const QuantLayer& layer) const {
    if (reaches_product(layer.output)) return true;
    const auto readers = links_.readers(layer.output);
    return std::any_of(readers.begin(), readers.end(), [&](const Reader& reader) {
      const std::uint32_t next = main_of_[reader.node];
      return next != kNone && reaches_product(layers_[next].output);
    });
  }

  const Graph& graph_;
  const Links& links_;
  std::vector<QuantLayer>& layers_;
  std::vector<std::uint32_t> made_by_;  // layer, by tensor
  std::vector<std::uint32_t> main_of_;  // layer, by node
  std::vector<bool> constant_;
};

}  // namespace

void find_roles(const Model& model, const Links& links, std::vector<QuantLayer>& layers) {
  Roles(model, links, layers).find();
}

}  // namespace strata
