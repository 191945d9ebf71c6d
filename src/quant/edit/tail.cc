#include "edit/tail.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "edit/edit.h"
#include "edit/links.h"
#include "ops/registry.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

// Calls `use` for the tensors of the main graph that a node reads, including in its bodies.
void each_input(const Model& model, const Node& node, const auto& use) {
  for (const TensorId id : node.inputs)
    if (id != kNone) use(id);
  const auto body = [&](const Graph* graph, const auto& self) -> void {
    for (const Tensor& tensor : graph->tensors) {
      if (tensor.role != Role::Captured || tensor.outer == kNone) continue;
      if (graph->parent == &model.graph()) use(tensor.outer);
    }
    for (const Graph& inner : model.graphs)
      if (inner.parent == graph) self(&inner, self);
  };
  for (const Attribute& attribute : node.attributes) {
    if (const auto* one = std::get_if<Graph*>(&attribute.value)) body(*one, body);
    if (const auto* many = std::get_if<std::span<Graph* const>>(&attribute.value))
      for (const Graph* each : *many) body(each, body);
  }
}

// Whole numbers computed from sizes of other tensors, such as the shape for a Reshape. A tail
// computes them itself, because engines fuse around them only if they see where they come from.
class Sizes {
 public:
  Sizes(const Model& model, const std::vector<bool>& constant)
      : graph_(model.graph()), constant_(constant) {}

  // Appends the tensors whose sizes this one is computed from; returns false and appends nothing if
  // it is made otherwise.
  bool sources(TensorId id, std::vector<TensorId>& out) const {
    std::vector<TensorId> found;
    if (!look(id, found, 0)) return false;
    out.insert(out.end(), found.begin(), found.end());
    return true;
  }

 private:
  static constexpr int kDeepest = 32;

  bool look(TensorId id, std::vector<TensorId>& found, int depth) const {
    const Tensor& tensor = graph_.tensors[id];
    if (constant_[id]) return true;
    const bool short_list = tensor.type->ranked && tensor.type->dims.size() <= 1;
    const bool whole = tensor.type->dtype == DType::I64 || tensor.type->dtype == DType::I32;
    if (tensor.producer == kNone || !short_list || !whole || depth == kDeepest) return false;
    const Node& node = graph_.nodes[tensor.producer];
    for (const Attribute& attribute : node.attributes)
      if (std::holds_alternative<Graph*>(attribute.value)) return false;
    if (traits_of(node).op == Op::ShapeOf) {
      found.push_back(node.inputs[0]);
      return true;
    }
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId input) {
      return input == kNone || look(input, found, depth + 1);
    });
  }

  const Graph& graph_;
  const std::vector<bool>& constant_;
};

}  // namespace

TailCut tail_cut(const Model& model, NodeId node) {
  const Graph& graph = model.graph();
  const std::vector<bool> constant = constant_tensors(graph);
  TailCut cut;
  cut.node = node;
  std::vector<bool> seen(graph.tensors.size(), false);
  for (NodeId n = node; n < graph.nodes.size(); ++n)
    each_input(model, graph.nodes[n], [&](TensorId id) {
      const Tensor& tensor = graph.tensors[id];
      const bool before = tensor.producer == kNone || tensor.producer < node;
      if (!before || constant[id] || tensor.role == Role::Initializer || seen[id]) return;
      seen[id] = true;
      cut.crossing.push_back(id);
    });
  std::vector<TensorId> crossing;
  const Sizes sizes(model, constant);
  for (const TensorId id : cut.crossing)
    if (!sizes.sources(id, crossing)) crossing.push_back(id);
  std::sort(crossing.begin(), crossing.end());
  crossing.erase(std::unique(crossing.begin(), crossing.end()), crossing.end());
  cut.crossing = std::move(crossing);
  for (const TensorId id : cut.crossing) cut.inputs.emplace_back(graph.tensors[id].name);
  for (const TensorId id : graph.outputs)
    if (id != kNone && graph.tensors[id].producer != kNone && graph.tensors[id].producer >= node)
      cut.outputs.emplace_back(graph.tensors[id].name);
  return cut;
}

Result<Model> tail_of(const Model& model, std::span<const std::string> inputs,
                      std::span<const std::string> outputs) {
  GraphEdit edit(model);
  Graph& graph = edit.graph();
  TextMap<std::string_view, TensorId> by_name;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) by_name[graph.tensors[id].name] = id;
  const auto find = [&](const std::string& name) -> Result<TensorId> {
    const auto at = by_name.find(name);
    if (at == by_name.end())
      return failure(fmt::format("the network has no tensor {}", in_quotes(name)), ErrorKind::Bug);
    return at->second;
  };

  std::vector<bool> given(graph.tensors.size(), false), needed(graph.tensors.size(), false);
  std::vector<TensorId> new_inputs, new_outputs;
  for (const std::string& name : inputs) {
    const auto id = find(name);
    if (!id) return failure(id);
    given[*id] = true;
    new_inputs.push_back(*id);
  }
  for (const std::string& name : outputs) {
    const auto id = find(name);
    if (!id) return failure(id);
    needed[*id] = true;
    new_outputs.push_back(*id);
  }
  for (auto n = static_cast<NodeId>(graph.nodes.size()); n-- > 0;) {
    const Node& node = graph.nodes[n];
    const bool live = std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) {
      return id != kNone && needed[id] && !given[id];
    });
    if (!live) {
      edit.remove(n);
      continue;
    }
    each_input(edit.model(), node, [&](TensorId id) { needed[id] = true; });
  }
  for (const TensorId id : graph.inputs)
    if (needed[id] && !given[id])
      return failure(
          fmt::format("the tail needs the network's input {}", in_quotes(graph.tensors[id].name)),
          ErrorKind::Bug);
  for (const TensorId id : new_inputs) {
    graph.tensors[id].role = Role::Input;
    graph.tensors[id].producer = kNone;
  }
  // A tensor that nothing reads in an edited network is not an input.
  std::erase_if(new_inputs, [&](TensorId id) { return !needed[id]; });
  graph.inputs = std::move(new_inputs);
  graph.outputs = std::move(new_outputs);
  return std::move(edit).finish();
}

}  // namespace strata
