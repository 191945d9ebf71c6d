#include "strata/cost/boundary.h"

#include <algorithm>
#include <unordered_map>

#include "cost/activations.h"

namespace strata {

namespace {

constexpr std::uint32_t kOutside = kNone;  // the caller's scope: provides inputs, takes outputs

// One read of a tensor, by a node or by the network's caller.
struct Read {
  std::uint32_t tensor;  // Activations::id
  ScopeId scope;
  std::uint32_t order;      // number of the read in running order
  std::uint32_t operation;  // its boundary if it is between modules, otherwise kNone
};

// A tensor at a boundary.
struct Crossing {
  std::uint32_t boundary, order, tensor;
};

class Finder {
 public:
  Finder(const Model& model, const Costs& costs, const Layers& layers)
      : model_(model), costs_(costs), layers_(layers), activations_(model, costs) {}

  Boundaries find() {
    list_places();
    collect_reads();
    follow_tensors();
    return gather();
  }

 private:
  bool is_operation(const Layer& layer) const { return layer.functional || layer.scope == 0; }

  // Candidates are every scope, then every operation between modules.
  void list_places() {
    for (const Scope& scope : model_.scopes)
      depth_.push_back(scope.parent == kNone ? 0 : depth_[scope.parent] + 1);
    for (ScopeId scope = 0; scope < model_.scopes.size(); ++scope)
      places_.push_back({.scope = scope, .depth = depth_[scope]});
    place_of_node_.assign(costs_.nodes.size(), kNone);
    starts_.assign(places_.size(), kNone);
    for (std::uint32_t l = 0; l < layers_.list.size(); ++l) {
      const Layer& layer = layers_.list[l];
      if (!is_operation(layer)) {
        places_[layer.scope].layer = l;
        continue;
      }
      Boundary place{.scope = layer.scope, .layer = l, .depth = depth_[layer.scope] + 1};
      place.is_operation = place.moves_nothing = true;
      for (std::uint32_t node : layers_.nodes_of(layer)) {
        place_of_node_[node] = static_cast<std::uint32_t>(places_.size());
        const NodeCost& cost = costs_.nodes[node].cost;
        place.moves_nothing = place.moves_nothing && (cost.view || cost.folded);
      }
      places_.push_back(place);
      starts_.push_back(layers_.nodes_of(layer).front());
    }
    for (std::uint32_t node = 0; node < costs_.nodes.size(); ++node)
      for (ScopeId scope = costs_.nodes[node].scope; scope != kNone && starts_[scope] == kNone;
           scope = model_.scopes[scope].parent)
        starts_[scope] = node;
    starts_[0] = 0;
  }

  void add_read(const Graph& graph, TensorId tensor, ScopeId scope, std::uint32_t operation) {
    if (tensor == kNone) return;
    const std::uint32_t id = activations_.id(graph, tensor);
    if (!activations_.is_activation(id)) return;
    reads_.push_back({id, scope, static_cast<std::uint32_t>(reads_.size()), operation});
  }

  // The node that runs a body makes its inputs, and reads its outputs and what it captures.
  void collect_reads() {
    maker_scope_.assign(activations_.size(), kOutside);
    maker_place_.assign(activations_.size(), kNone);
    const auto makes = [&](const Graph& graph, TensorId tensor, ScopeId scope,
                           std::uint32_t place) {
      if (tensor == kNone) return;
      const std::uint32_t id = activations_.id(graph, tensor);
      maker_scope_[id] = scope, maker_place_[id] = place;
      made_.push_back(id);
    };
    for (TensorId input : model_.graph().inputs) {
      const std::uint32_t id = activations_.id(model_.graph(), input);
      rank_[id] = static_cast<std::uint32_t>(made_.size());
      made_.push_back(id);
    }
    for (std::uint32_t i = 0; i < costs_.nodes.size(); ++i) {
      const Executed& executed = costs_.nodes[i];
      const Node& node = executed.get();
      const std::uint32_t place = place_of_node_[i];
      // A folded node reads shapes at most, not elements.
      for (TensorId input : node.inputs)
        if (!executed.cost->folded) add_read(*executed.graph, input, executed.scope, place);
      for_each_body(node, [&](const Graph& body) {
        for (TensorId t = 0; t < body.tensors.size(); ++t)
          if (body.tensors[t].role == Role::Captured) add_read(body, t, executed.scope, place);
        for (TensorId input : body.inputs) makes(body, input, executed.scope, kNone);
        for (TensorId output : body.outputs) add_read(body, output, executed.scope, kNone);
      });
      for (TensorId output : node.outputs) makes(*executed.graph, output, executed.scope, place);
    }
    for (TensorId output : model_.graph().outputs) {
      add_read(model_.graph(), output, kOutside, kNone);
      // The first of its reads from outside.
      if (output != kNone)
        rank_.try_emplace(activations_.id(model_.graph(), output),
                          static_cast<std::uint32_t>(reads_.size()));
    }
    std::stable_sort(reads_.begin(), reads_.end(),
                     [](const Read& a, const Read& b) { return a.tensor < b.tensor; });
  }

  // The innermost scope around both; kOutside if one of them is outside.
  ScopeId common(ScopeId a, ScopeId b) const {
    if (a == kOutside || b == kOutside) return kOutside;
    while (a != b) {
      if (depth_[a] < depth_[b]) std::swap(a, b);
      a = model_.scopes[a].parent;
    }
    return a;
  }

  void follow_tensors() {
    std::vector<std::uint32_t> entered(places_.size(), kNone), left(places_.size(), kNone);
    for (std::uint32_t id : made_) {
      if (!activations_.is_activation(id)) continue;
      auto read = std::lower_bound(reads_.begin(), reads_.end(), id,
                                   [](const Read& r, std::uint32_t t) { return r.tensor < t; });
      for (; read != reads_.end() && read->tensor == id; ++read) {
        const auto cross = [&](std::vector<std::uint32_t>& seen, std::vector<Crossing>& out,
                               std::uint32_t place, std::uint32_t order) {
          if (place == 0) order = rank_[id];  // for the network itself, the order of the file
          if (std::exchange(seen[place], id) != id) out.push_back({place, order, id});
        };
        // A node between modules passes its result on even within its own module.
        if (maker_place_[id] != kNone && maker_place_[id] != read->operation)
          cross(left, outputs_, maker_place_[id], 0);
        if (read->operation != kNone && maker_place_[id] != read->operation)
          cross(entered, inputs_, read->operation, read->order);
        const ScopeId top = common(maker_scope_[id], read->scope);
        for (ScopeId scope = maker_scope_[id]; scope != top; scope = model_.scopes[scope].parent)
          cross(left, outputs_, scope, 0);
        for (ScopeId scope = read->scope; scope != top; scope = model_.scopes[scope].parent)
          cross(entered, inputs_, scope, read->order);
      }
    }
  }

  BoundaryTensor held(std::uint32_t id) const {
    const Graph& graph = activations_.graph_of(id);
    const TensorId tensor = activations_.tensor_of(id);
    return {&graph, tensor, costs_.quantized.type_of(graph, tensor)};
  }

  Boundaries gather() {
    const auto by_boundary = [](const Crossing& a, const Crossing& b) {
      return std::pair(a.boundary, a.order) < std::pair(b.boundary, b.order);
    };
    std::stable_sort(inputs_.begin(), inputs_.end(), by_boundary);
    std::stable_sort(outputs_.begin(), outputs_.end(), by_boundary);
    Boundaries result;
    result.tensors.reserve(inputs_.size() + outputs_.size());
    const auto take = [&](const std::vector<Crossing>& from, std::size_t& at, std::uint32_t place) {
      std::uint32_t count = 0;
      for (; at < from.size() && from[at].boundary == place; ++at, ++count)
        result.tensors.push_back(held(from[at].tensor));
      return count;
    };
    std::size_t in = 0, out = 0;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t p = 0; p < places_.size(); ++p) {
      Boundary& place = places_[p];
      place.first = static_cast<std::uint32_t>(result.tensors.size());
      place.inputs = take(inputs_, in, p);
      place.outputs = take(outputs_, out, p);
      if (p == 0 || place.inputs + place.outputs > 0) kept.push_back(p);
    }
    std::stable_sort(kept.begin(), kept.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(starts_[a], places_[a].depth) < std::pair(starts_[b], places_[b].depth);
    });
    for (std::uint32_t p : kept) result.list.push_back(places_[p]);
    return result;
  }

  const Model& model_;
  const Costs& costs_;
  const Layers& layers_;
  Activations activations_;
  std::vector<std::uint32_t> depth_;  // indexed by scope
  std::vector<Boundary> places_;
  std::vector<std::uint32_t> starts_;         // indexed by place: the first of its nodes
  std::vector<std::uint32_t> place_of_node_;  // for operations between modules
  std::vector<ScopeId> maker_scope_;          // indexed by tensor
  std::vector<std::uint32_t> maker_place_;    // indexed by tensor
  std::vector<std::uint32_t> made_;           // tensors in the order they are made
  std::vector<Read> reads_;
  std::unordered_map<std::uint32_t, std::uint32_t> rank_;  // for the network's inputs and outputs
  std::vector<Crossing> inputs_, outputs_;
};

}  // namespace

Boundaries find_boundaries(const Model& model, const Costs& costs, const Layers& layers) {
  return Finder(model, costs, layers).find();
}

Expr BoundaryTensor::bytes() const {
  const TypeInfo& type = get().type;
  if (type.kind != ValueKind::Tensor || !type.ranked) return Expr::unknown();
  return strata::bytes(elements(type.dims), dtype);
}

Expr tensor_bytes(const TypeInfo& type) {
  if (type.kind != ValueKind::Tensor || !type.ranked) return Expr::unknown();
  return bytes(elements(type.dims), type.dtype);
}

}  // namespace strata
