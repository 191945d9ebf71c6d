#include <algorithm>
#include <unordered_map>

#include "ops/registry.h"
#include "strata/cost/layers.h"

namespace strata {

namespace {

bool is_constant(const Node& node) { return traits_of(node).op == Op::Constant; }

bool returns(const Graph& graph, TensorId id) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
}

struct KnownTensor {
  std::uint32_t maker = kNone;  // the layer that makes it
  bool leaves = false;          // another layer reads it, or the network returns it
  // The output of a Constant node, wherever it is read. Not asked of those whose elements are
  // known, which are left out anyway.
  bool is_stored = false;
};

class KnownTensors {
 public:
  KnownTensors(const Model& model, const Costs& costs, const Layers& layers)
      : costs_(costs), layers_(layers) {
    std::size_t tensors = 0;
    for (const Graph& graph : model.graphs) {
      bases_.emplace(&graph, tensors);
      tensors += graph.tensors.size();
    }
    known_.resize(tensors);
    find_stored(model);
    find_makers();
    find_leaving(model);
  }

  // Those of a graph, by their ids. One call after another asks for the same graph.
  KnownTensor* of(const Graph* graph) {
    if (graph != last_) tensors_of_last_ = known_.data() + bases_.at(graph), last_ = graph;
    return tensors_of_last_;
  }

 private:
  void find_stored(const Model& model) {
    for (const Graph& graph : model.graphs)
      for (const Node& node : graph.nodes) {
        if (!node.inputs.empty()) continue;
        for (TensorId id : node.outputs)
          if (id != kNone && graph.tensors[id].value == nullptr)
            of(&graph)[id].is_stored = is_constant(node);
      }
  }

  void find_makers() {
    for_nodes([](KnownTensor* tensors, const Node& node, std::uint32_t layer) {
      for (TensorId id : node.outputs)
        if (id != kNone) tensors[id].maker = layer;
    });
  }

  void find_leaving(const Model& model) {
    for_nodes([](KnownTensor* tensors, const Node& node, std::uint32_t layer) {
      for (TensorId id : node.inputs)
        if (id != kNone && tensors[id].maker != layer && !tensors[id].is_stored)
          tensors[id].leaves = true;
    });
    for (const Graph& graph : model.graphs)
      for (TensorId id : graph.outputs)
        if (id != kNone) of(&graph)[id].leaves = true;
  }

  template <class Visit>
  void for_nodes(Visit visit) {
    for (std::uint32_t l = 0; l < layers_.list.size(); ++l)
      for (std::uint32_t index : layers_.nodes_of(layers_.list[l])) {
        const Executed& executed = costs_.nodes[index];
        visit(of(executed.graph), executed.get(), l);
      }
  }

  const Costs& costs_;
  const Layers& layers_;
  std::unordered_map<const Graph*, std::size_t> bases_;  // all graphs in one consecutive numbering
  std::vector<KnownTensor> known_;
  const Graph* last_ = nullptr;
  KnownTensor* tensors_of_last_ = nullptr;
};

bool enters(const KnownTensor& known, const Tensor& tensor, std::uint32_t layer) {
  if (known.maker == layer) return false;
  if (tensor.role == Role::Initializer || tensor.value != nullptr) return false;
  return known.maker == kNone || !known.is_stored;
}

bool goes_out(const KnownTensor& known, const Graph& home, TensorId id) {
  if (!known.leaves || home.tensors[id].value != nullptr) return false;
  return !known.is_stored || returns(home, id);
}

}  // namespace

LayerEdges::LayerEdges(const Model& model, const Costs& costs, const Layers& layers) {
  KnownTensors all(model, costs, layers);
  // A recorded block of code returns nothing, so that nobody reads what its last layers make.
  const bool is_block = model.recorded != nullptr && model.graph().outputs.empty();
  starts_.reserve(2 * layers.list.size() + 1);
  const auto add_once = [&](TensorId id) {
    const auto first = ids_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
    if (std::find(first, ids_.end(), id) == ids_.end()) ids_.push_back(id);
  };
  for (std::uint32_t l = 0; l < layers.list.size(); ++l) {
    const Executed& main = costs.nodes[layers.list[l].main];
    const Graph& home = *main.graph;
    const KnownTensor* known = all.of(main.graph);
    const auto for_shown = [&](auto visit) {
      starts_.push_back(static_cast<std::uint32_t>(ids_.size()));
      for (std::uint32_t index : layers.nodes_of(layers.list[l])) {
        const Executed& executed = costs.nodes[index];
        if (executed.graph == main.graph && executed.get().phase == main.get().phase)
          visit(executed.get());
      }
    };
    for_shown([&](const Node& node) {
      for (TensorId id : node.inputs)
        if (id != kNone && enters(known[id], home.tensors[id], l)) add_once(id);
    });
    TensorId last = kNone;
    for_shown([&](const Node& node) {
      for (TensorId id : node.outputs) {
        if (id == kNone) continue;
        if (goes_out(known[id], home, id)) add_once(id);
        last = id;
      }
    });
    if (is_block && last != kNone && ids_.size() == starts_.back()) ids_.push_back(last);
  }
  starts_.push_back(static_cast<std::uint32_t>(ids_.size()));
  ids_.shrink_to_fit();
}

}  // namespace strata
