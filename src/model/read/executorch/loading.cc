#include "read/executorch/loading.h"

#include <utility>

#include <fmt/format.h>

namespace strata::executorch {

std::string_view Loading::numbered(std::string_view scope, std::string_view op) {
  std::string name = scope.empty() ? std::string(op) : fmt::format("{}/{}", scope, op);
  const int times = times_[name]++;
  if (times > 0) name += fmt::format("_{}", times);
  return kept(std::move(name));
}

std::string_view Loading::kept(std::string text) {
  count_text(text.size());
  return model.keep(text);
}

NodeId Loading::add(Node node, std::span<const TensorId> inputs, std::span<const TensorId> outputs,
                    std::span<const Attribute> attributes) {
  count_node();
  Graph& graph = model.graph();
  const auto id = static_cast<NodeId>(graph.nodes.size());
  node.inputs = model.keep(inputs);
  node.outputs = model.keep(outputs);
  node.attributes = model.keep(attributes);
  for (const TensorId output : outputs)
    if (output != kNone) graph.tensors[output].producer = id;
  onnx::NodeText text;
  // Each node is a layer: the last component of a path is the node's own.
  text.name = kept(fmt::format("{}/{}", node.name, node.op));
  node.scope = scopes.place(onnx::ScopeTree::kRoot, text);
  graph.nodes.push_back(node);
  return id;
}

}  // namespace strata::executorch
