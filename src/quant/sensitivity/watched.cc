#include <unordered_map>

#include "cost/layer_kind.h"
#include "edit/links.h"
#include "strata/calibrate/calibrate.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"
#include "strata/sensitivity/sensitivity.h"
#include "zoo/block_names.h"

namespace strata {

namespace {

// Finds the tensors to watch, and the axes of their channels.
class Watching {
 public:
  explicit Watching(const Graph& graph)
      : graph_(graph),
        constant_(constant_tensors(graph)),
        axes_(graph.tensors.size(), kNotWatched) {}

  void watch(TensorId id, std::int64_t axis) {
    if (id == kNone || constant_[id]) return;
    const Tensor& tensor = graph_.tensors[id];
    if (tensor.role != Role::Activation && tensor.role != Role::Input) return;
    if (!is_float(tensor.type->dtype) || bits(tensor.type->dtype) < 16 ||
        tensor.type->kind != ValueKind::Tensor || tensor.name.empty())
      return;
    if (axes_[id] == kNotWatched) axes_[id] = axis;
  }
  // Channels of images are on axis 1, those of other tensors on the last.
  void watch(TensorId id) {
    if (id == kNone) return;
    const auto rank = static_cast<std::int64_t>(graph_.tensors[id].type->dims.size());
    watch(id, rank >= 4 ? 1 : rank - 1);
  }
  bool is_watched(TensorId id) const { return axes_[id] != kNotWatched; }
  std::int64_t axis(TensorId id) const { return axes_[id]; }

 private:
  static constexpr std::int64_t kNotWatched = -2;
  const Graph& graph_;
  std::vector<bool> constant_;
  std::vector<std::int64_t> axes_;
};

}  // namespace

std::vector<Watched> watched_tensors(const Model& model, bool per_channel) {
  const Graph& graph = model.graph();
  Watching watching(graph);
  const std::vector<QuantLayer> layers = find_quant_layers(model);
  std::vector<const QuantLayer*> layer_of_node(graph.nodes.size(), nullptr);
  for (const QuantLayer& layer : layers)
    for (const NodeId node : layer.nodes) layer_of_node[node] = &layer;
  for (const QuantLayer& layer : layers) {
    const auto rank = static_cast<std::int64_t>(graph.tensors[layer.output].type->dims.size());
    watching.watch(layer.output, layer.kind == LayerKind::Linear ? rank - 1 : 1);
  }
  for (const TensorId id : rounded_tensors(layers)) watching.watch(id);
  for (const TensorId id : quant_tensors(model, layers)) watching.watch(id);
  for (NodeId n = 0; n < graph.nodes.size(); ++n)
    if (layer_of_node[n] == nullptr && is_activation(kind_of_node(graph, graph.nodes[n])))
      watching.watch(graph.nodes[n].outputs[0]);

  const Costs costs = count(model);
  const Layers stat_layers = find_layers(model, costs);
  std::vector<std::uint32_t> stat_layer_of(graph.nodes.size(), kNone);
  for (std::uint32_t i = 0; i < stat_layers.list.size(); ++i)
    for (const std::uint32_t member : stat_layers.nodes_of(stat_layers.list[i]))
      if (costs.nodes[member].graph == &graph) stat_layer_of[costs.nodes[member].node] = i;
  const LayerEdges edges(model, costs, stat_layers);
  const std::vector<std::optional<zoo::BlockName>> blocks =
      zoo::block_names(model, stat_layers, edges);

  std::vector<Watched> found;
  const auto add = [&](TensorId id) {
    if (id == kNone || !watching.is_watched(id)) return;
    const Tensor& tensor = graph.tensors[id];
    Watched one;
    one.tensor = std::string(tensor.name);
    if (per_channel) one.channel_axis = watching.axis(id);
    if (tensor.producer != kNone) {
      const std::uint32_t i = stat_layer_of[tensor.producer];
      if (layer_of_node[tensor.producer] != nullptr)
        one.layer = layer_of_node[tensor.producer]->path;
      else if (i != kNone)
        one.layer = layer_path(model, costs, stat_layers.list[i]);
      if (one.layer.empty()) one.layer = std::string(graph.nodes[tensor.producer].name);
      if (one.layer.empty()) one.layer = one.tensor;
      if (i != kNone && !blocks.empty() && blocks[i]) one.block = text(*blocks[i]);
    }
    found.push_back(std::move(one));
  };
  for (const TensorId id : graph.inputs) add(id);
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.outputs) add(id);
  return found;
}

}  // namespace strata
