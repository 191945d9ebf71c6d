#include "graph/hash.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace strata {

namespace {

void add_attribute(Hash& hash, const Attribute& attribute) {
  hash.add(attribute.name);
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) hash.add(*number);
  if (const auto* real = std::get_if<float>(&attribute.value)) hash.add(fmt::format("{}", *real));
  if (const auto* text = std::get_if<std::string_view>(&attribute.value)) hash.add(*text);
  if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value))
    for (std::int64_t number : *list) hash.add(number);
  if (const auto* list = std::get_if<std::span<const float>>(&attribute.value))
    for (float real : *list) hash.add(fmt::format("{}", real));
  if (const auto* data = std::get_if<const TensorData*>(&attribute.value);
      data != nullptr && *data != nullptr)
    for (std::int64_t size : (*data)->dims) hash.add(size);
}

}  // namespace

std::string graph_hash(const Model& model) {
  Hash hash;
  for (const Graph& graph : model.graphs) {
    for (TensorId id : graph.inputs) {
      hash.add(graph.tensors[id].name);
      hash.add(text(graph.tensors[id].type->dims));
    }
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.data == nullptr) continue;
      hash.add(tensor.name);
      for (std::int64_t size : tensor.data->dims) hash.add(size);
    }
    for (const Node& node : graph.nodes) {
      hash.add(node.domain);
      hash.add(node.op);
      hash.add(node.name);
      for (const Attribute& attribute : node.attributes) add_attribute(hash, attribute);
      for (TensorId id : node.outputs)
        if (id != kNone) hash.add(graph.tensors[id].name);
    }
  }
  return hash.text();
}

}  // namespace strata
