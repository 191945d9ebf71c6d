#include "ops/example.h"

#include <fmt/format.h>

#include "graph/text.h"

namespace strata {

namespace {

std::string scalar_text(const Scalar& item) {
  if (!item.is_real()) return item.whole().text();
  return fmt::format("{}", *item.number());
}

}  // namespace

Result<Model> example_model(const OpRule& rule, const Example& example) {
  Model model;
  if (model.graphs.empty()) model.graphs.emplace_back();
  if (model.scopes.empty()) model.scopes.emplace_back();
  Graph& graph = model.graph();
  std::vector<TensorId> inputs, outputs;
  for (std::string_view text : split_text(example.inputs, ',')) {
    if (text == "_") {
      inputs.push_back(kNone);
      continue;
    }
    auto parsed = type_from_text(text);
    if (!parsed) return failure(parsed);
    const auto id = static_cast<TensorId>(graph.tensors.size());
    Tensor tensor;
    tensor.name = model.keep(fmt::format("in{}", id));
    tensor.type = std::move(parsed->type);
    tensor.role = parsed->value ? Role::Initializer : Role::Input;
    if (parsed->value)
      tensor.value = model.keep(std::move(*parsed->value));
    else
      graph.inputs.push_back(id);
    graph.tensors.push_back(std::move(tensor));
    inputs.push_back(id);
  }
  for (std::string_view text : split_text(example.outputs, ',')) {
    if (text == "_") {
      outputs.push_back(kNone);
      continue;
    }
    const auto id = static_cast<TensorId>(graph.tensors.size());
    Tensor tensor;
    tensor.name = model.keep(fmt::format("out{}", outputs.size()));
    tensor.producer = 0;
    if (rule.shape == nullptr) {
      auto declared = type_from_text(text);
      if (!declared) return failure(declared);
      tensor.type = std::move(declared->type);
    }
    graph.tensors.push_back(std::move(tensor));
    graph.outputs.push_back(id);
    outputs.push_back(id);
  }
  std::vector<Attribute> attributes;
  for (std::string_view text : split_text(example.attributes, ' '))
    if (!text.empty()) attributes.push_back(attribute_from_text(model, text));

  Node node;
  node.op = rule.name;
  node.domain = rule.domain;
  node.name = "example";
  node.inputs = model.keep(std::span<const TensorId>(inputs));
  node.outputs = model.keep(std::span<const TensorId>(outputs));
  node.attributes = model.keep(std::span<const Attribute>(attributes));
  node.opset = example.opset;
  if (node.opset == 0)
    node.opset = rule.until != 0 ? rule.until : rule.domain.empty() ? kNewestOpset : rule.since;
  graph.nodes.push_back(node);
  return model;
}

std::string example_text(const TypeInfo& type, const Value* value) {
  if (type.kind == ValueKind::Sequence) {
    std::string text = "seq(";
    if (type.items)
      for (const TypeInfo& item : *type.items)
        text += (text.size() > 4 ? ", " : "") + example_text(item, nullptr);
    else
      text += fmt::format("{}…", name_of(type.dtype));
    return text + ")";
  }
  if (type.kind == ValueKind::Map || type.kind == ValueKind::SequenceOfMap) return "map";
  if (type.kind == ValueKind::Opaque) return "opaque";
  std::string prefix = type.kind == ValueKind::Tensor ? "" : "optional ";
  if (!type.ranked) return fmt::format("{}{}[?]", prefix, name_of(type.dtype));
  std::string sizes;
  for (const Expr& size : type.dims) sizes += (sizes.empty() ? "" : ",") + size.text();
  std::string text = fmt::format("{}{}[{}]", prefix, name_of(type.dtype), sizes);
  if (value == nullptr) return text;
  std::string items;
  for (const Scalar& item : value->items) items += (items.empty() ? "" : ",") + scalar_text(item);
  return fmt::format("{}={{{}}}", text, items);
}

std::string outputs_text(const Graph& graph, const Node& node) {
  std::string text;
  for (TensorId id : node.outputs) {
    if (!text.empty()) text += ", ";
    text += id == kNone ? "_" : example_text(graph.tensors[id].type, graph.tensors[id].value);
  }
  return text;
}

}  // namespace strata
