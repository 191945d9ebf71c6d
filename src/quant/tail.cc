#include "quant/tail.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "quant/edit.h"
#include "quant/links.h"
#include "read/in_quotes.h"

namespace strata {

namespace {

// Tensors of the main graph that a node reads, bodies included.
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
  std::sort(cut.crossing.begin(), cut.crossing.end());
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
  std::unordered_map<std::string_view, TensorId> by_name;
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
    if (!id) return tl::unexpected(id.error());
    given[*id] = true;
    new_inputs.push_back(*id);
  }
  for (const std::string& name : outputs) {
    const auto id = find(name);
    if (!id) return tl::unexpected(id.error());
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
  // One that nothing reads in an edited network is not asked for.
  std::erase_if(new_inputs, [&](TensorId id) { return !needed[id]; });
  graph.inputs = std::move(new_inputs);
  graph.outputs = std::move(new_outputs);
  return std::move(edit).finish();
}

}  // namespace strata
