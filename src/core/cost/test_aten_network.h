// A network in PyTorch's operators for tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/registry.h"
#include "strata/graph/graph.h"

namespace strata {

// A graph that grows node by node.
class AtenNetwork {
 public:
  AtenNetwork() {
    if (model.graphs.empty()) model.graphs.emplace_back();
    if (model.scopes.empty()) model.scopes.emplace_back();
  }

  TensorId input(Dims dims) {
    const TensorId id = tensor(std::move(dims));
    graph().tensors[id].role = Role::Input;
    graph().inputs.push_back(id);
    return id;
  }
  TensorId weight(std::vector<std::int64_t> sizes) {
    Dims dims;
    for (const std::int64_t size : sizes) dims.push_back(size);
    const TensorId id = tensor(std::move(dims));
    TensorData& data = model.stored.emplace_back();
    data.name = graph().tensors[id].name;
    data.dtype = DType::F32;
    data.dims = model.keep(std::span<const std::int64_t>(sizes));
    graph().tensors[id].role = Role::Initializer;
    graph().tensors[id].data = &data;
    return id;
  }
  using List = std::pair<std::string_view, std::vector<std::int64_t>>;
  TensorId add(std::string_view op, std::vector<TensorId> inputs, Dims output,
               const std::vector<List>& lists = {}) {
    return add_all(op, std::move(inputs), {std::move(output)}, lists)[0];
  }
  // With several outputs.
  std::vector<TensorId> add_all(std::string_view op, std::vector<TensorId> inputs,
                                std::vector<Dims> made, const std::vector<List>& lists = {},
                                std::vector<Attribute> attributes = {}) {
    for (const auto& [name, items] : lists) {
      const auto kept = model.keep(std::span<const std::int64_t>(items));
      attributes.push_back({name, kept});
    }
    std::vector<TensorId> outputs;
    for (Dims& dims : made) {
      outputs.push_back(tensor(std::move(dims)));
      graph().tensors[outputs.back()].producer = static_cast<NodeId>(graph().nodes.size());
    }
    Node node;
    node.op = op;
    node.domain = kAten;
    node.opset = 10;
    node.inputs = model.keep(std::span<const TensorId>(inputs));
    node.outputs = model.keep(std::span<const TensorId>(outputs));
    node.attributes = model.keep(std::span<const Attribute>(attributes));
    graph().nodes.push_back(node);
    graph().outputs = {outputs[0]};
    return outputs;
  }
  Graph& graph() { return model.graph(); }

  Model model;

 private:
  TensorId tensor(Dims dims) {
    const auto id = static_cast<TensorId>(graph().tensors.size());
    Tensor& made = graph().tensors.emplace_back();
    made.name = model.keep("t" + std::to_string(id));
    made.type = TypeInfo::tensor(DType::F32, std::move(dims));
    return id;
  }
};

}  // namespace strata
