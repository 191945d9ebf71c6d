#include "edit/edit.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace strata {

namespace {

// Copies the graphs of `original`, including bodies.
void copy_graphs(const Model& original, Model& copy) {
  std::unordered_map<const Graph*, Graph*> twin;
  copy.graphs.clear();
  for (const Graph& graph : original.graphs) twin[&graph] = &copy.graphs.emplace_back(graph);
  for (Graph& graph : copy.graphs) {
    if (graph.parent != nullptr) graph.parent = twin[graph.parent];
    for (NodeId n = 0; n < graph.nodes.size(); ++n) {
      Node node = graph.nodes[n];
      const bool has_body =
          std::any_of(node.attributes.begin(), node.attributes.end(), [](const Attribute& a) {
            return std::holds_alternative<Graph*>(a.value) ||
                   std::holds_alternative<std::span<Graph* const>>(a.value);
          });
      if (!has_body) continue;
      std::vector<Attribute> attributes(node.attributes.begin(), node.attributes.end());
      for (Attribute& attribute : attributes) {
        if (auto* body = std::get_if<Graph*>(&attribute.value)) *body = twin[*body];
        if (auto* bodies = std::get_if<std::span<Graph* const>>(&attribute.value)) {
          std::vector<Graph*> twins;
          for (Graph* body : *bodies) twins.push_back(twin[body]);
          *bodies = copy.keep(std::span<Graph* const>(twins));
        }
      }
      node.attributes = copy.keep(std::span<const Attribute>(attributes));
      graph.nodes.set(n, node);
    }
  }
}

}  // namespace

GraphEdit::GraphEdit(const Model& original) {
  model_.path = original.path;
  model_.file_bytes = original.file_bytes;
  model_.ir_version = original.ir_version;
  model_.producer = original.producer;
  model_.producer_version = original.producer_version;
  model_.domain = original.domain;
  model_.model_version = original.model_version;
  model_.doc = original.doc;
  model_.opsets = original.opsets;
  model_.metadata = original.metadata;
  model_.notes = original.notes;
  model_.scopes = original.scopes;
  model_.backing = original.backing;
  copy_graphs(original, model_);
  const std::size_t nodes = graph().nodes.size();
  removed_.assign(nodes, false);
  before_.resize(nodes);
  after_.resize(nodes);
  for (const Graph& each : model_.graphs) {
    for (const Tensor& tensor : each.tensors) names_.insert(tensor.name);
    for (const Node& node : each.nodes) node_names_.insert(node.name);
  }
}

void GraphEdit::set_input(NodeId node, std::size_t slot, TensorId id) {
  std::vector<TensorId> ids(graph().nodes[node].inputs.begin(), graph().nodes[node].inputs.end());
  if (slot >= ids.size()) ids.resize(slot + 1, kNone);
  ids[slot] = id;
  set_inputs(node, ids);
}

void GraphEdit::set_inputs(NodeId node, std::span<const TensorId> ids) {
  graph().nodes.change(node, [&](Node& own) { own.inputs = model_.keep(ids); });
}

void GraphEdit::set_output(NodeId node, std::size_t slot, TensorId id) {
  graph().nodes.change(node, [&](Node& own) {
    std::vector<TensorId> ids(own.outputs.begin(), own.outputs.end());
    ids[slot] = id;
    own.outputs = model_.keep(std::span<const TensorId>(ids));
  });
}

void GraphEdit::set_attributes(NodeId node, std::span<const Attribute> attributes) {
  graph().nodes.change(node, [&](Node& own) { own.attributes = model_.keep(attributes); });
}

std::string_view GraphEdit::new_name(std::string_view like) {
  if (!names_.contains(like)) return *names_.insert(model_.keep(like)).first;
  for (int number = 2;; ++number)
    if (const std::string name = fmt::format("{}_{}", like, number); !names_.contains(name))
      return *names_.insert(model_.keep(name)).first;
}

TensorId GraphEdit::add_activation(std::string_view name, const TypeInfo& type) {
  Tensor tensor;
  tensor.name = new_name(name);
  tensor.type = type;
  graph().tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph().tensors.size() - 1);
}

TensorId GraphEdit::add_stored(std::string_view name, DType dtype,
                               std::span<const std::int64_t> dims, std::string_view bytes) {
  Tensor tensor;
  tensor.name = new_name(name);
  tensor.role = Role::Initializer;
  Dims sizes;
  for (const std::int64_t size : dims) sizes.push_back(size);
  tensor.type = TypeInfo::tensor(dtype, std::move(sizes));
  TensorData data;
  data.name = tensor.name;
  data.dtype = dtype;
  data.store = TensorData::Store::Raw;
  data.dims = model_.keep(dims);
  data.bytes = model_.keep(bytes);
  tensor.data = &model_.stored.emplace_back(data);
  graph().tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph().tensors.size() - 1);
}

std::string_view GraphEdit::new_node_name(std::string_view like) {
  std::string name(like);
  for (int number = 2; node_names_.contains(name); ++number)
    name = fmt::format("{}_{}", like, number);
  return *node_names_.insert(model_.keep(name)).first;
}

void GraphEdit::set_name(NodeId node, std::string_view like) {
  graph().nodes.change(node, [&](Node& own) { own.name = new_node_name(like); });
}

Node GraphEdit::made(const NewNode& what) {
  Node node;
  node.op = model_.keep(what.op);
  node.name = new_node_name(what.name);
  node.inputs = model_.keep(what.inputs);
  node.outputs = model_.keep(std::span<const TensorId>(&what.output, 1));
  node.attributes = model_.keep(what.attributes);
  node.scope = what.scope;
  for (const OpsetImport& opset : model_.opsets)
    if (opset.domain.empty()) node.opset = static_cast<std::int32_t>(opset.version);
  return node;
}

void GraphEdit::insert_after(NodeId node, const NewNode& what) {
  (node == kNone ? first_ : after_[node]).push_back(made(what));
}

void GraphEdit::insert_before(NodeId node, const NewNode& what) {
  before_[node].push_back(made(what));
}

Model GraphEdit::finish() && {
  std::vector<Node> nodes = std::move(first_);
  for (NodeId n = 0; n < graph().nodes.size(); ++n) {
    nodes.insert(nodes.end(), before_[n].begin(), before_[n].end());
    if (!removed_[n]) nodes.push_back(graph().nodes[n]);
    nodes.insert(nodes.end(), after_[n].begin(), after_[n].end());
  }
  drop_dead_nodes(nodes);
  graph().nodes = nodes;
  renumber_tensors();
  return std::move(model_);
}

void GraphEdit::drop_dead_nodes(std::vector<Node>& nodes) const {
  const Graph& graph = model_.graph();
  std::vector<bool> needed(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs)
    if (id != kNone) needed[id] = true;
  for (const Graph& body : model_.graphs)
    if (body.parent == &graph)
      for (const Tensor& tensor : body.tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone) needed[tensor.outer] = true;
  std::vector<Node> kept;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const bool live = std::any_of(node->outputs.begin(), node->outputs.end(),
                                  [&](TensorId id) { return id != kNone && needed[id]; });
    if (!live) continue;
    for (const TensorId id : node->inputs)
      if (id != kNone) needed[id] = true;
    kept.push_back(*node);
  }
  nodes.assign(kept.rbegin(), kept.rend());
}

void GraphEdit::renumber_tensors() {
  Graph& graph = model_.graph();
  std::vector<TensorId> renumbered(graph.tensors.size(), kNone);
  const auto use = [&](TensorId id) {
    if (id != kNone) renumbered[id] = 0;
  };
  for (const TensorId id : graph.inputs) use(id);
  for (const TensorId id : graph.outputs) use(id);
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) use(id);
    for (const TensorId id : node.outputs) use(id);
  }
  for (const Graph& body : model_.graphs)
    if (body.parent == &graph)
      for (const Tensor& tensor : body.tensors)
        if (tensor.role == Role::Captured) use(tensor.outer);

  std::vector<Tensor> tensors;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    if (renumbered[id] == kNone) continue;
    renumbered[id] = static_cast<TensorId>(tensors.size());
    tensors.push_back(std::move(graph.tensors[id]));
    tensors.back().producer = kNone;
  }
  graph.tensors = std::move(tensors);
  const auto ids = [&](std::span<const TensorId> old) {
    const std::span<TensorId> out = model_.keep_span<TensorId>(old.size());
    std::transform(old.begin(), old.end(), out.begin(),
                   [&](TensorId id) { return id == kNone ? kNone : renumbered[id]; });
    return std::span<const TensorId>(out);
  };
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    Node node = graph.nodes[n];
    node.inputs = ids(node.inputs);
    node.outputs = ids(node.outputs);
    graph.nodes.set(n, node);
    for (const TensorId id : node.outputs)
      if (id != kNone) graph.tensors[id].producer = n;
  }
  for (TensorId& id : graph.inputs) id = renumbered[id];
  for (TensorId& id : graph.outputs)
    if (id != kNone) id = renumbered[id];
  for (Graph& body : model_.graphs)
    if (body.parent == &graph)
      for (Tensor& tensor : body.tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone)
          tensor.outer = renumbered[tensor.outer];
}

}  // namespace strata
