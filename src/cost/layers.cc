#include "strata/cost/layers.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "cost/layer_kind.h"
#include "ops/registry.h"

namespace strata {

namespace {

// Whether a scope's module contains modules, indexed by scope. All scopes of one path agree.
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

bool is_constant(const Node& node) { return traits_of(node).op == Op::Constant; }

bool returns(const Graph& graph, TensorId id) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
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
  if (!layer.functional && !path.empty()) return std::string(path);
  // The node's own name is the part after the last slash of its full name.
  std::string_view own = node.name;
  if (layer.functional || own.starts_with('/')) own = own.substr(own.rfind('/') + 1);
  if (own.empty()) {
    for (TensorId id : node.outputs)
      if (own.empty() && id != kNone) own = costs.nodes[layer.main].graph->tensors[id].name;
  }
  return path.empty() ? std::string(own) : fmt::format("{}.{}", path, own);
}

LayerEdges::LayerEdges(const Model& model, const Costs& costs, const Layers& layers) {
  // Which layer makes each tensor of each graph, and which read it from outside.
  std::unordered_map<const Graph*, std::size_t> bases;  // all graphs in one consecutive numbering
  std::size_t tensors = 0;
  for (const Graph& graph : model.graphs) {
    bases.emplace(&graph, tensors);
    tensors += graph.tensors.size();
  }
  // What is known of a tensor.
  struct Known {
    std::uint32_t maker = kNone;  // the layer that makes it
    bool leaves = false;          // another layer reads it, or the network returns it
    // The output of a Constant node, wherever it is read. Of those whose elements are known, which
    // are left out anyway, it is not asked.
    bool is_stored = false;
  };
  std::vector<Known> known_of(tensors);

  const Graph* last = nullptr;
  Known* known = nullptr;  // of the tensors of the last graph
  const auto enter = [&](const Graph* graph) {
    if (graph != last) known = known_of.data() + bases.at(graph), last = graph;
  };
  for (const Graph& graph : model.graphs) {
    enter(&graph);
    for (const Node& node : graph.nodes)
      if (node.inputs.empty())
        for (TensorId id : node.outputs)
          if (id != kNone && graph.tensors[id].value == nullptr)
            known[id].is_stored = is_constant(node);
  }
  for (std::uint32_t l = 0; l < layers.list.size(); ++l)
    for (std::uint32_t index : layers.nodes_of(layers.list[l])) {
      const Executed& executed = costs.nodes[index];
      enter(executed.graph);
      for (TensorId id : executed.get().outputs)
        if (id != kNone) known[id].maker = l;
    }
  for (std::uint32_t l = 0; l < layers.list.size(); ++l)
    for (std::uint32_t index : layers.nodes_of(layers.list[l])) {
      const Executed& executed = costs.nodes[index];
      enter(executed.graph);
      for (TensorId id : executed.get().inputs)
        if (id != kNone && known[id].maker != l && !known[id].is_stored) known[id].leaves = true;
    }
  for (const Graph& graph : model.graphs) {
    enter(&graph);
    for (TensorId id : graph.outputs)
      if (id != kNone) known[id].leaves = true;
  }

  starts_.reserve(2 * layers.list.size() + 1);
  const auto add_once = [&](std::size_t from, TensorId id) {
    if (std::find(ids_.begin() + static_cast<std::ptrdiff_t>(from), ids_.end(), id) == ids_.end())
      ids_.push_back(id);
  };
  for (std::uint32_t l = 0; l < layers.list.size(); ++l) {
    const Layer& layer = layers.list[l];
    const Graph* home = costs.nodes[layer.main].graph;
    const Phase phase = costs.nodes[layer.main].get().phase;
    const auto is_shown = [&](const Executed& executed) {
      return executed.graph == home && executed.get().phase == phase;
    };
    std::size_t from = ids_.size();
    starts_.push_back(static_cast<std::uint32_t>(from));
    for (std::uint32_t index : layers.nodes_of(layer)) {
      const Executed& executed = costs.nodes[index];
      if (!is_shown(executed)) continue;
      enter(executed.graph);
      for (TensorId id : executed.get().inputs) {
        if (id == kNone || known[id].maker == l) continue;
        const Tensor& tensor = home->tensors[id];
        if (tensor.role == Role::Initializer || tensor.value != nullptr) continue;
        if (known[id].maker != kNone && known[id].is_stored) continue;
        add_once(from, id);
      }
    }
    from = ids_.size();
    starts_.push_back(static_cast<std::uint32_t>(from));
    for (std::uint32_t index : layers.nodes_of(layer)) {
      const Executed& executed = costs.nodes[index];
      if (!is_shown(executed)) continue;
      enter(executed.graph);
      for (TensorId id : executed.get().outputs) {
        if (id == kNone || !known[id].leaves || home->tensors[id].value != nullptr) continue;
        if (known[id].is_stored && !returns(*home, id)) continue;
        add_once(from, id);
      }
    }
  }
  starts_.push_back(static_cast<std::uint32_t>(ids_.size()));
  ids_.shrink_to_fit();
}

}  // namespace strata
