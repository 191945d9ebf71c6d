#include "read/torch/unread.h"

#include <string_view>

namespace strata::torch {

namespace {

std::string_view owner_of(std::string_view weight) {
  const std::size_t dot = weight.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : weight.substr(0, dot);
}

}  // namespace

void hold_unread(Counting& counting, Modules& modules, Graph& graph,
                 std::span<const TensorId> parameters) {
  for (std::size_t first = 0; first < parameters.size();) {
    const std::string_view owner = owner_of(graph.tensors[parameters[first]].name);
    std::size_t end = first + 1;
    while (end < parameters.size() && owner_of(graph.tensors[parameters[end]].name) == owner) ++end;
    counting.count_node();
    Node node;
    node.op = "Unread";
    node.domain = "strata";
    node.name = graph.tensors[parameters[first]].name;
    node.inputs = counting.model.keep(parameters.subspan(first, end - first));
    node.scope = modules.scope_at(owner);
    node.opset = 1;
    graph.nodes.push_back(node);
    first = end;
  }
}

}  // namespace strata::torch
