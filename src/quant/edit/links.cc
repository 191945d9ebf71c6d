#include "edit/links.h"

#include <algorithm>

#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr int kLongestChain = 16;

bool turns_a_matrix(const Node& node) {
  const Attribute* perm = node.attribute("perm");
  if (perm == nullptr) return false;
  const auto* order = std::get_if<std::span<const std::int64_t>>(&perm->value);
  return order != nullptr && order->size() == 2 && (*order)[0] == 1 && (*order)[1] == 0;
}

}  // namespace

Links::Links(const Model& model) {
  const Graph& graph = model.graph();
  const std::size_t count = graph.tensors.size();
  starts_.assign(count + 1, 0);
  leaves_.assign(count, false);
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.inputs)
      if (id != kNone) ++starts_[id + 1];
  for (std::size_t i = 0; i < count; ++i) starts_[i + 1] += starts_[i];
  readers_.resize(starts_[count]);
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (NodeId n = 0; n < graph.nodes.size(); ++n)
    for (std::uint32_t slot = 0; slot < graph.nodes[n].inputs.size(); ++slot)
      if (const TensorId id = graph.nodes[n].inputs[slot]; id != kNone)
        readers_[next[id]++] = {n, slot};
  for (const TensorId id : graph.outputs)
    if (id != kNone) leaves_[id] = true;
  for (const Graph& body : model.graphs)
    if (body.parent == &graph)
      for (const Tensor& tensor : body.tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone) leaves_[tensor.outer] = true;
}

NodeId Links::only_reader(TensorId id) const {
  const auto all = readers(id);
  if (all.empty() || leaves(id)) return kNone;
  const bool one = std::all_of(all.begin(), all.end(),
                               [&](const Reader& reader) { return reader.node == all[0].node; });
  return one ? all[0].node : kNone;
}

std::optional<StoredInput> stored_input(const Graph& graph, TensorId id) {
  StoredInput found;
  for (int step = 0; step < kLongestChain && id != kNone; ++step) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.role == Role::Initializer) {
      if (tensor.data == nullptr) return std::nullopt;
      found.data = tensor.data;
      return found;
    }
    if (tensor.role != Role::Activation || tensor.producer == kNone) return std::nullopt;
    const Node& node = graph.nodes[tensor.producer];
    const Op op = traits_of(node).op;
    if (op == Op::Constant) {
      found.data = NodeView(graph, node).tensor("value");
      return found.data == nullptr ? std::nullopt : std::optional(found);
    }
    if (op == Op::Transpose && turns_a_matrix(node))
      found.transposed = !found.transposed;
    else if (op != Op::Identity)
      return std::nullopt;
    id = node.inputs.empty() ? kNone : node.inputs[0];
  }
  return std::nullopt;
}

std::optional<double> stored_number(const Graph& graph, TensorId id) {
  if (id == kNone) return std::nullopt;
  const Tensor& tensor = graph.tensors[id];
  if (tensor.value != nullptr && tensor.value->size() == 1) return tensor.value->items[0].number();
  const auto stored = stored_input(graph, id);
  if (!stored) return std::nullopt;
  const auto value = decode(*stored->data);
  return value && value->size() == 1 ? value->items[0].number() : std::nullopt;
}

std::vector<bool> constant_tensors(const Graph& graph) {
  std::vector<bool> constant(graph.tensors.size(), false);
  for (TensorId id = 0; id < graph.tensors.size(); ++id)
    constant[id] = graph.tensors[id].role == Role::Initializer;
  for (const Node& node : graph.nodes) {
    const bool has_body =
        std::any_of(node.attributes.begin(), node.attributes.end(), [](const Attribute& a) {
          return std::holds_alternative<Graph*>(a.value) ||
                 std::holds_alternative<std::span<Graph* const>>(a.value);
        });
    if (has_body || traits_of(node).random) continue;
    const bool fixed = std::all_of(node.inputs.begin(), node.inputs.end(),
                                   [&](TensorId id) { return id == kNone || constant[id]; });
    if (!fixed) continue;
    for (const TensorId id : node.outputs)
      if (id != kNone) constant[id] = true;
  }
  return constant;
}

}  // namespace strata
