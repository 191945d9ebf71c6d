#include "strata/edit/layers.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "cost/layer_kind.h"
#include "edit/following.h"
#include "edit/layer_roles.h"
#include "ops/node_view.h"
#include "ops/registry.h"
#include "strata/base/text_map.h"
#include "zoo/block_names.h"

namespace strata {

namespace {

bool is_f32(const std::optional<StoredInput>& stored) {
  return stored && stored->data->dtype == DType::F32;
}

std::int64_t width_of(const Graph& graph, const QuantLayer& layer) {
  const auto weight = stored_input(graph, layer.weight);
  const std::size_t axis =
      static_cast<std::size_t>(weight->transposed ? 1 - layer.weight_axis : layer.weight_axis);
  return weight->data->dims[axis];
}

// Finds the properties of a main node; false if it cannot be computed in whole numbers.
class MainNode {
 public:
  MainNode(const Graph& graph, NodeId id)
      : graph_(graph), node_(graph.nodes[id]), traits_(traits_of(node_)) {
    layer.main = id;
  }

  bool fits() {
    if (traits_.int8_output == Int8Output::Unknown) return false;
    if (!node_.domain.empty() || node_.inputs.size() < 2 || node_.outputs.size() != 1) return false;
    const NodeView view(graph_, node_);
    if (view.dtype(0) != DType::F32) return false;
    layer.input = node_.inputs[0];
    layer.weight = node_.inputs[1];
    if (stored_input(graph_, layer.input)) return false;
    weight_ = stored_input(graph_, layer.weight);
    if (!is_f32(weight_)) return false;
    if (view.has(2)) layer.bias = node_.inputs[2];
    switch (traits_.product) {
      case Product::Conv:
      case Product::ConvTranspose:
        return fits_conv(view);
      case Product::Gemm:
        return fits_gemm(view);
      case Product::MatMul:
        return fits_matmul();
      default:
        return false;
    }
  }

  QuantLayer layer;

 private:
  bool fits_conv(const NodeView& view) {
    const auto dims = weight_->data->dims;
    const bool transposed = traits_.product == Product::ConvTranspose;
    layer.kind = traits_.kind;
    layer.weight_axis = transposed ? 1 : 0;
    if (weight_->transposed || dims.size() < 3 || !has_bias_of_one_axis()) return false;
    layer.groups = view.integer(Attr::Groups).value_or(1);
    layer.kernel.assign(dims.begin() + 2, dims.end());
    layer.pointwise = std::all_of(layer.kernel.begin(), layer.kernel.end(),
                                  [](std::int64_t size) { return size == 1; });
    layer.depthwise = layer.groups > 1 && dims[1] == 1 && dims[0] % layer.groups == 0;
    return true;
  }
  bool fits_gemm(const NodeView& view) {
    const bool turned = view.integer(Attr::TransposeSecond).value_or(0) != 0;
    layer.kind = LayerKind::Linear;
    layer.weight_axis = turned ? 0 : 1;
    return weight_->data->dims.size() == 2 && view.integer(Attr::TransposeFirst).value_or(0) == 0 &&
           view.real(Attr::ProductScale).value_or(1) == 1 &&
           view.real(Attr::BiasScale).value_or(1) == 1 && has_bias_of_one_axis();
  }
  bool fits_matmul() {
    layer.kind = LayerKind::Linear;
    layer.weight_axis = 1;
    return weight_->data->dims.size() == 2;
  }
  bool has_bias_of_one_axis() const {
    if (layer.bias == kNone) return true;
    const auto bias = stored_input(graph_, layer.bias);
    if (!is_f32(bias) || bias->data->dims.size() != 1) return false;
    return traits_.product == Product::ConvTranspose ||
           bias->data->dims[0] == width_of(graph_, layer);
  }

  const Graph& graph_;
  const Node node_;
  const Traits& traits_;
  std::optional<StoredInput> weight_;
};

void add_followers(const Graph& graph, const Links& links, QuantLayer& layer) {
  layer.nodes = {layer.main};
  TensorId end = graph.nodes[layer.main].outputs[0];
  const Product product = traits_of(graph.nodes[layer.main]).product;
  if (product == Product::MatMul)
    if (const BiasAdd add = bias_after(graph, links, end, width_of(graph, layer));
        add.node != kNone) {
      layer.bias_add = add.node;
      layer.bias = add.bias;
      layer.nodes.push_back(add.node);
      end = graph.nodes[add.node].outputs[0];
    }
  // The channels of a MatMul's output are on its last axis, those of a norm on the second.
  if (product != Product::MatMul) layer.norm = norm_after(graph, links, end);
  layer.has_norm = layer.norm != kNone;
  if (!layer.has_norm && product == Product::Conv)
    layer.norm =
        channel_bias_after(graph, links, end, width_of(graph, layer), layer.kernel.size() + 2).node;
  if (layer.norm != kNone) {
    layer.nodes.push_back(layer.norm);
    end = graph.nodes[layer.norm].outputs[0];
  }
  layer.linear = end;
  ActivationNodes activation = activation_after(graph, links, end);
  if (!activation.nodes.empty()) {
    layer.has_activation = true;
    layer.activation = activation.kind;
    layer.nodes.insert(layer.nodes.end(), activation.nodes.begin(), activation.nodes.end());
    end = activation.output;
  }
  layer.output = end;
}

// The last part of a node's name: `MatMul_1` of `/encoder/self_attention/MatMul_1`.
std::string_view own_word(const Node& node) {
  return node.name.substr(node.name.find_last_of('/') + 1);
}

void name_layers(const Model& model, std::vector<QuantLayer>& found) {
  const Costs costs = count(model);
  const Layers layers = find_layers(model, costs);
  const LayerEdges edges(model, costs, layers);
  std::vector<std::uint32_t> layer_of(model.graph().nodes.size(), kNone);
  for (std::uint32_t i = 0; i < layers.list.size(); ++i)
    for (const std::uint32_t member : layers.nodes_of(layers.list[i]))
      if (costs.nodes[member].graph == &model.graph()) layer_of[costs.nodes[member].node] = i;
  const std::vector<std::optional<zoo::BlockName>> blocks = zoo::block_names(model, layers, edges);

  std::unordered_map<std::uint32_t, int> uses;  // by layer of `stat`
  for (const QuantLayer& layer : found) ++uses[layer_of[layer.main]];
  TextMap<std::string, int> taken;
  for (QuantLayer& layer : found) {
    const Node& node = model.graph().nodes[layer.main];
    const std::uint32_t i = layer_of[layer.main];
    if (i == kNone) {
      layer.path = std::string(node.name);
    } else {
      layer.path = layer_path(model, costs, layers.list[i]);
      if (layers.list[i].call > 0) layer.path += fmt::format("#{}", layers.list[i].call + 1);
      if (uses[i] > 1) layer.path += fmt::format(".{}", own_word(node));
      if (!blocks.empty() && blocks[i]) {
        layer.block = fmt::format("{}:{}:{}", blocks[i]->stage, blocks[i]->block, blocks[i]->layer);
        layer.block_kind = std::string(blocks[i]->kind);
      }
    }
    if (layer.path.empty()) layer.path = fmt::format("{}_{}", node.op, layer.main);
    if (const int before = taken[layer.path]++; before > 0)
      layer.path += fmt::format("~{}", before + 1);
  }
}

}  // namespace

std::string_view name_of(LayerRole role) {
  switch (role) {
    case LayerRole::Plain:
      return "plain";
    case LayerRole::BlockExit:
      return "block exit";
    case LayerRole::Shortcut:
      return "shortcut";
    case LayerRole::AttentionInput:
      return "attention input";
    case LayerRole::AttentionScaling:
      return "attention scaling";
  }
  return "";
}

std::string_view name_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::None:
      return "";
    case BlockKind::MBConv:
      return "MBConv";
    case BlockKind::FusedMBConv:
      return "fused MBConv";
    case BlockKind::Residual:
      return "residual";
  }
  return "";
}

std::string operators_text(const Model& model, const QuantLayer& layer) {
  const auto op = [&](NodeId node) { return model.graph().nodes[node].op; };
  std::string text(op(layer.main));
  if (layer.has_norm) text += fmt::format("+{}", op(layer.norm));
  if (!layer.has_activation) return text;
  switch (layer.activation) {
    case LayerKind::SiLU:
      return text + "+SiLU";
    case LayerKind::Hardswish:
      return text + "+HardSwish";
    case LayerKind::GELU:
      return text + "+Gelu";
    default:
      return text + fmt::format("+{}", op(layer.nodes.back()));
  }
}

std::vector<QuantLayer> find_quant_layers(const Model& model) {
  const Graph& graph = model.graph();
  const Links links(model);
  const std::vector<bool> constant = constant_tensors(graph);
  std::vector<QuantLayer> found;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    MainNode node(graph, id);
    if (!node.fits() || constant[node.layer.input]) continue;
    add_followers(graph, links, node.layer);
    found.push_back(std::move(node.layer));
  }
  name_layers(model, found);
  find_roles(model, links, found);
  return found;
}

}  // namespace strata
