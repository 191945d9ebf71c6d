#include "strata/cost/layers.h"

#include <utility>

#include <fmt/format.h>

#include "base/shortened.h"
#include "cost/layer_kind.h"
#include "ops/registry.h"

namespace strata {

namespace {

// True for each scope whose module contains modules. All scopes of one path agree.
std::vector<bool> containers(const Model& model) {
  std::vector<bool> has_children(model.scopes.size(), false);
  for (const Scope& scope : model.scopes)
    if (scope.parent != kNone) has_children[scope.parent] = true;
  return has_children;
}

// The node that determines the kind of a layer: the one with the most arithmetic, of the forward
// pass where there is one. A node that costs nothing is chosen only if there is no other.
std::uint32_t main_node(const Costs& costs, std::span<const std::uint32_t> members) {
  std::uint32_t best = members[0];
  int best_rank = -1;
  for (std::uint32_t index : members) {
    const NodeCost& cost = costs.nodes[index].cost;
    int rank = 0;
    if (!cost.folded) rank = 1;
    if (!cost.folded && !cost.view) rank = 2;
    if (!cost.folded && !cost.flops().is(0)) rank = 3;
    if (!cost.macs.is(0)) rank = 4;
    if (costs.nodes[index].get().phase == Phase::Forward) rank += 5;
    if (rank > best_rank) best = index, best_rank = rank;
  }
  return best;
}

}  // namespace

Layers find_layers(const Model& model, const Costs& costs) {
  const std::vector<bool> is_container = containers(model);
  const bool has_modules = model.scopes.size() > 1;
  Layers layers;
  std::vector<std::uint32_t> layer_of_scope(model.scopes.size(), kNone);
  std::vector<std::uint32_t> layer_of_node(costs.nodes.size());

  for (std::uint32_t i = 0; i < costs.nodes.size(); ++i) {
    const ScopeId scope = costs.nodes[i].scope;
    const bool alone = scope == 0 || is_container[scope];
    std::uint32_t& known = layer_of_scope[scope];
    if (alone || known == kNone) {
      Layer layer;
      layer.scope = scope;
      layer.functional = alone && has_modules;
      layer.call = model.scopes[scope].call;
      if (!alone) known = static_cast<std::uint32_t>(layers.list.size());
      layer_of_node[i] = static_cast<std::uint32_t>(layers.list.size());
      layers.list.push_back(layer);
    } else {
      layer_of_node[i] = known;
    }
    ++layers.list[layer_of_node[i]].count;
  }
  layers.list.shrink_to_fit();

  std::uint32_t next = 0;
  for (Layer& layer : layers.list) {
    layer.first = next;
    next += std::exchange(layer.count, 0);
  }
  layers.members.resize(costs.nodes.size());
  for (std::uint32_t i = 0; i < costs.nodes.size(); ++i) {
    Layer& layer = layers.list[layer_of_node[i]];
    layers.members[layer.first + layer.count++] = i;
  }
  for (Layer& layer : layers.list) {
    layer.main = main_node(costs, layers.nodes_of(layer));
    layer.kind = kind_of_layer(model, costs, layers, layer);
  }
  return layers;
}

std::string layer_path(const Model& model, const Costs& costs, const Layer& layer) {
  const std::string_view path = model.scopes[layer.scope].path;
  const Node& node = costs.nodes[layer.main].get();
  if (!layer.functional && !path.empty()) return shortened(path);
  // The node's own name is the part after the last slash of its full name.
  std::string_view own = node.name;
  if (layer.functional || own.starts_with('/')) own = own.substr(own.rfind('/') + 1);
  if (own.empty()) {
    for (TensorId id : node.outputs)
      if (own.empty() && id != kNone) own = costs.nodes[layer.main].graph->tensors[id].name;
  }
  return path.empty() ? shortened(own) : fmt::format("{}.{}", shortened(path), shortened(own));
}

}  // namespace strata
