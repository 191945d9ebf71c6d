#include "ops/part.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ops/registry.h"

namespace strata {

namespace {

// A part requests new symbols on behalf of the node it belongs to.
class Relay final : public InferenceHost {
 public:
  Relay(InferenceHost& host, const Node& whole) : host_(host), whole_(whole) {}
  Model& model() override { return host_.model(); }
  Expr fresh_symbol(const Node&, std::string_view hint, const Expr& at_most) override {
    return host_.fresh_symbol(whole_, hint, at_most);
  }
  Status infer_body(Graph& body, std::span<const TypeInfo> inputs,
                    std::span<const Value* const> values) override {
    return host_.infer_body(body, inputs, values);
  }

 private:
  InferenceHost& host_;
  const Node whole_;
};

// The part as a graph with one node, which keeps the whole's name for errors.
struct Scene {
  Scene(const Part& part, const Node& whole, std::size_t output_count) {
    for (const Tensor& input : part.inputs) {
      const bool absent = !input.type->ranked && input.type->dtype == DType::Undefined;
      inputs.push_back(absent ? kNone : static_cast<TensorId>(graph.tensors.size()));
      if (!absent) graph.tensors.push_back(input);
    }
    for (std::size_t i = 0; i < output_count; ++i) {
      outputs.push_back(static_cast<TensorId>(graph.tensors.size()));
      graph.tensors.emplace_back();
    }
    node.op = whole.op;
    node.name = whole.name;
    node.inputs = inputs;
    node.outputs = outputs;
    node.attributes = part.attributes;
    node.opset = part.opset;
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  Graph graph;
  Node node;
  std::vector<TensorId> inputs, outputs;
};

// The standard operator for an activation that an attribute names.
std::string_view operator_of(std::string_view activation) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {{
      {"relu", "Relu"},
      {"RELU", "Relu"},
      {"gelu", "Gelu"},
      {"GELU", "Gelu"},
  }};
  for (const auto& [word, op] : kNames)
    if (word == activation) return op;
  return activation;
}

}  // namespace

Tensor input_of(const NodeView& node, std::size_t i) {
  return node.has(i) ? node.graph().tensors[node.node().inputs[i]] : Tensor();
}

Tensor tensor_of(TypeInfo type) {
  Tensor tensor;
  tensor.type = std::move(type);
  return tensor;
}

Tensor tensor_of(DType dtype, Dims dims) {
  return tensor_of(TypeInfo::tensor(dtype, std::move(dims)));
}

Result<std::vector<Tensor>> outputs_of(ShapeContext& c, const Part& part) {
  const OpRule* rule = find_rule("", part.op, part.opset);
  if (rule == nullptr || rule->shape == nullptr)
    return c.error(fmt::format("it is made of {}, for which there is no rule", part.op));
  Scene scene(part, c.node(), part.outputs);
  Relay host(c.host(), c.node());
  ShapeContext inner(host, scene.graph, scene.node);
  if (auto status = rule->shape(inner); !status) return failure(status);
  std::vector<Tensor> outputs;
  for (TensorId id : scene.outputs) outputs.push_back(std::move(scene.graph.tensors[id]));
  return outputs;
}

Result<TypeInfo> type_of(ShapeContext& c, const Part& part) {
  auto outputs = outputs_of(c, part);
  if (!outputs) return failure(outputs);
  return std::move(outputs->front().type);
}

void set_output(ShapeContext& c, std::size_t i, const Tensor& tensor) {
  if (tensor.value != nullptr)
    c.share_value(i, tensor.value);
  else
    c.set(i, tensor.type);
}

void add_work(CostContext& c, const Part& part, std::span<const TypeInfo> outputs) {
  const OpRule* rule = find_rule("", part.op, part.opset);
  if (rule == nullptr || rule->cost == nullptr) {
    c.at_least("an operator that it is made of has no rule");
    return;
  }
  Scene scene(part, c.node(), outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    scene.graph.tensors[scene.outputs[i]].type = outputs[i];
  CostContext inner = c.part(scene.graph, scene.node);
  rule->cost(inner);
  c.take(inner);
}

void add_elementwise(CostContext& c, std::string_view op, const Expr& count, int opset,
                     std::span<const Attribute> attributes) {
  const TypeInfo type = TypeInfo::tensor(DType::F32, {count});
  add_work(c, {op, {tensor_of(type)}, attributes, opset}, {{type}});
}

void add_activation(CostContext& c, std::string_view name, const Expr& count) {
  if (name.empty() || name == "none" || name == "NONE" || name == "identity") return;
  if (name == "silu" || name == "swish") {
    add_elementwise(c, "Sigmoid", count);
    c.muls({{"outputs", count}});
  } else if (name == "Clip") {
    c.adds({{"outputs", count}, {"bounds", 2}});
  } else {
    add_elementwise(c, operator_of(name), count, 20);
  }
}

std::optional<Expr> known_scalar(const NodeView& node, std::size_t i) {
  if (!node.has(i)) return std::nullopt;
  const Value* value = node.graph().tensors[node.node().inputs[i]].value;
  if (value == nullptr || value->size() != 1) return std::nullopt;
  return value->items[0].whole();
}

Expr share_of(const Expr& a, const Expr& b) {
  if (b.is_number() && b.value() <= 0) return Expr::unknown();
  const auto exact = exact_div(a, b);
  return exact ? *exact : floor_div(a, b);
}

TypeInfo channels_first(TypeInfo type) {
  if (type.dims.size() >= 3)
    std::rotate(type.dims.begin() + 1, type.dims.end() - 1, type.dims.end());
  return type;
}

TypeInfo channels_last(TypeInfo type) {
  if (type.dims.size() >= 3)
    std::rotate(type.dims.begin() + 1, type.dims.begin() + 2, type.dims.end());
  return type;
}

}  // namespace strata
