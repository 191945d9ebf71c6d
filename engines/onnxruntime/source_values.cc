#include "source_values.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/base/text_map.h"
#include "strata/engine/engine.h"

namespace strata::ort {

namespace {

// Constants of up to this many bytes are equal if their elements are.
constexpr std::size_t kMaxCompared = 256;

template <class Numbers>
auto found_in(const Numbers& names, std::string_view name, const Graph* graph,
              const auto& graph_of) {
  auto [first, last] = names.equal_range(name);
  if (first == last) return kNone;
  std::uint32_t only = std::next(first) == last ? first->second : kNone;
  for (; first != last; ++first)
    if (graph_of(first->second) == graph) return first->second;
  return only;
}

std::string data_key(const TensorData& data) {
  if (data.store != TensorData::Store::Raw || data.bytes.size() > kMaxCompared)
    return fmt::format("@{}", static_cast<const void*>(&data));
  return fmt::format("{}[{}]{}", name_of(data.dtype), fmt::join(data.dims, ","), data.bytes);
}

struct AttributeKey {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(float v) const { return fmt::format("{}f", v); }
  std::string operator()(std::string_view v) const { return std::string(v); }
  std::string operator()(std::span<const std::int64_t> v) const {
    return fmt::format("{}", fmt::join(v, ","));
  }
  std::string operator()(std::span<const float> v) const {
    return fmt::format("{}", fmt::join(v, ","));
  }
  std::string operator()(std::span<const std::string_view> v) const {
    return fmt::format("{}", fmt::join(v, ","));
  }
  std::string operator()(const TensorData* v) const { return data_key(*v); }
  std::string operator()(Encoded v) const { return std::string(v.bytes); }
  // Bodies and types are equal only to themselves.
  std::string operator()(const TypeInfo* v) const { return pointer(v); }
  std::string operator()(Graph* v) const { return pointer(v); }
  std::string operator()(std::span<Graph* const> v) const { return pointer(v.data()); }
  static std::string pointer(const void* v) { return fmt::format("@{}", v); }
};

bool same_static_type(const TypeInfo& a, const TypeInfo& b) {
  if (a.dtype != b.dtype || a.dtype == DType::Undefined || !a.ranked || !b.ranked) return false;
  return a.dims.size() == b.dims.size() && std::equal(a.dims.begin(), a.dims.end(), b.dims.begin());
}

// True if output 0 is input 0, element by element.
bool gives_its_input(const Node& node, const Graph& graph) {
  if (!node.domain.empty() || node.inputs.empty() || node.inputs[0] == kNone) return false;
  if (node.outputs.empty() || node.outputs[0] == kNone) return false;
  if (node.op == "Identity") return true;
  if (node.op == "Dropout") return node.inputs.size() < 3 || node.inputs[2] == kNone;
  if (node.op == "Concat") return node.inputs.size() == 1;
  if (node.op != "Cast" && node.op != "Reshape" && node.op != "Flatten" && node.op != "Expand")
    return false;
  return same_static_type(graph.tensors[node.inputs[0]].type, graph.tensors[node.outputs[0]].type);
}

bool is_random(std::string_view op) {
  return op.starts_with("Random") || op == "Multinomial" || op == "Bernoulli";
}

bool is_shape(const Node& node) {
  return node.domain.empty() && (node.op == "Shape" || node.op == "Size");
}

std::vector<const Graph*> bodies_of(const Node& node) {
  std::vector<const Graph*> bodies;
  for (const Attribute& attribute : node.attributes) {
    if (const auto* body = std::get_if<Graph*>(&attribute.value)) bodies.push_back(*body);
    if (const auto* list = std::get_if<std::span<Graph* const>>(&attribute.value))
      bodies.insert(bodies.end(), list->begin(), list->end());
  }
  return bodies;
}

}  // namespace

SourceValues::SourceValues(const Model& model) {
  number_values(model);
  add_nodes(model);
  add_captured_inputs();
  set_classes();
}

void SourceValues::number_values(const Model& model) {
  for (const Graph& graph : model.graphs) {
    auto& numbers = numbers_[&graph];
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.role == Role::Captured) {
        numbers.push_back(kNone);
        continue;
      }
      numbers.push_back(static_cast<ValueNumber>(values_.size()));
      ValueFacts value;
      value.name = tensor.name;
      value.graph = &graph;
      value.stored = tensor.role == Role::Initializer;
      if (!tensor.name.empty()) value_names_.emplace(tensor.name, numbers.back());
      values_.push_back(std::move(value));
    }
    for (const TensorId output : graph.outputs)
      if (const ValueNumber v = numbers[output]; v != kNone) values_[v].is_output = true;
  }
}

ValueNumber SourceValues::resolve(const Graph& graph, TensorId tensor) const {
  const Graph* in = &graph;
  while (tensor != kNone && in != nullptr) {
    if (const ValueNumber v = numbers_.at(in)[tensor]; v != kNone) return v;
    tensor = in->tensors[tensor].outer;
    in = in->parent;
  }
  return kNone;
}

void SourceValues::add_nodes(const Model& model) {
  std::vector<std::string> keys = node_keys(model);
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) {
      const auto number = static_cast<NodeNumber>(nodes_.size());
      NodeFacts facts;
      facts.node = node;
      facts.graph = &graph;
      facts.key = std::move(keys[number]);
      for (const TensorId input : node.inputs)
        if (const ValueNumber v = resolve(graph, input); v != kNone) facts.inputs.push_back(v);
      for (const TensorId output : node.outputs) {
        const ValueNumber v = resolve(graph, output);
        facts.outputs.push_back(v);
        if (v != kNone) values_[v].producer = number;
      }
      facts.passes_on = gives_its_input(node, graph);
      for (const Graph* body : bodies_of(node)) owners_[body] = number;
      if (!node.name.empty()) node_names_.emplace(node.name, number);
      nodes_.push_back(std::move(facts));
    }
  for (NodeFacts& facts : nodes_)
    if (const auto owner = owners_.find(facts.graph); owner != owners_.end())
      facts.owner = owner->second;
}

// A node with a body also reads what the body does not make itself.
void SourceValues::add_captured_inputs() {
  for (NodeNumber n = 0; n < nodes_.size(); ++n) {
    const std::vector<ValueNumber> inputs = nodes_[n].inputs;
    for (NodeNumber owner = nodes_[n].owner; owner != kNone; owner = nodes_[owner].owner)
      for (const ValueNumber v : inputs) {
        auto& all = nodes_[owner].inputs;
        const bool outside = values_[v].graph == nodes_[owner].graph;
        if (outside && std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
      }
  }
  for (NodeNumber n = 0; n < nodes_.size(); ++n)
    for (const ValueNumber v : nodes_[n].inputs) values_[v].readers.push_back(n);
}

std::string SourceValues::class_key(const NodeFacts& facts) const {
  const Node& node = facts.node;
  std::string key = fmt::format("{}|{}", node.domain, node.op);
  for (const TensorId input : node.inputs) {
    const ValueNumber v = resolve(*facts.graph, input);
    key += v == kNone ? "|-" : fmt::format("|{}", values_[v].equal_class);
  }
  for (const Attribute& attribute : node.attributes)
    key += fmt::format("|{}={}", attribute.name, std::visit(AttributeKey{}, attribute.value));
  return key;
}

void SourceValues::set_classes() {
  TextMap<std::string, std::uint32_t> stored;  // by content
  for (ValueNumber v = 0; v < values_.size(); ++v) values_[v].equal_class = v;
  for (const auto& [graph, numbers] : numbers_)
    for (TensorId t = 0; t < numbers.size(); ++t) {
      const Tensor& tensor = graph->tensors[t];
      if (numbers[t] == kNone || tensor.data == nullptr) continue;
      const auto [same, added] = stored.try_emplace(data_key(*tensor.data), numbers[t]);
      values_[numbers[t]].equal_class = same->second;
    }
  TextMap<std::string, NodeNumber> computed;
  for (NodeNumber n = 0; n < nodes_.size(); ++n) {
    NodeFacts& facts = nodes_[n];
    const auto all_inputs = [&](const auto& is_so) {
      return !is_random(facts.node.op) &&
             std::all_of(facts.inputs.begin(), facts.inputs.end(), [&](ValueNumber v) {
               if (values_[v].stored) return true;
               return values_[v].producer != kNone && is_so(nodes_[values_[v].producer]);
             });
    };
    facts.constant = all_inputs([](const NodeFacts& maker) { return maker.constant; });
    facts.shape_only =
        !facts.constant && (is_shape(facts.node) || all_inputs([](const NodeFacts& maker) {
                              return maker.constant || maker.shape_only;
                            }));
    if (facts.passes_on && facts.outputs[0] != kNone) {
      values_[facts.outputs[0]].equal_class = values_[facts.inputs[0]].equal_class;
      continue;
    }
    if (is_random(facts.node.op)) continue;
    const auto [same, added] = computed.try_emplace(class_key(facts), n);
    if (added) continue;
    const auto& outputs = nodes_[same->second].outputs;
    for (std::size_t i = 0; i < std::min(outputs.size(), facts.outputs.size()); ++i)
      if (outputs[i] != kNone && facts.outputs[i] != kNone)
        values_[facts.outputs[i]].equal_class = values_[outputs[i]].equal_class;
  }
}

ValueNumber SourceValues::find_value(std::string_view name, const Graph* graph) const {
  return found_in(value_names_, name, graph, [&](ValueNumber v) { return values_[v].graph; });
}

NodeNumber SourceValues::find_node(std::string_view name, const Graph* graph) const {
  return found_in(node_names_, name, graph, [&](NodeNumber n) { return nodes_[n].graph; });
}

}  // namespace strata::ort
