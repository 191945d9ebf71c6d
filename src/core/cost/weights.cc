#include "cost/weights.h"

#include <algorithm>
#include <optional>

#include "ops/cost_context.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr int kMaxChain = 64;  // longer chains of Identity and similar operators are not followed

WeightRef constant_of(const Node& node) {
  WeightRef weight;
  weight.from_constant = true;
  if (const Attribute* attribute = node.attribute("value"))
    if (const auto* data = std::get_if<const TensorData*>(&attribute->value)) weight.data = *data;
  return weight;
}

bool has_macs(const Graph& graph, const Node& node) {
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  if (rule == nullptr || rule->cost == nullptr) return false;
  CostContext context(graph, node);
  rule->cost(context);
  return !context.amount(Work::Mac).is(0);
}

bool is_setting(const Node& node, std::size_t slot) {
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  return rule != nullptr && has_bit(rule->settings, slot);
}

// True if all elements are zeros, or all are ones.
bool is_filler(const TensorData& data) {
  if (data.store == TensorData::Store::Raw) {
    const auto width = static_cast<std::size_t>(bits(data.dtype)) / 8;
    if (width == 0 || data.bytes.size() < width) return false;
    // Compares all elements with the first one.
    if (data.bytes.substr(width) != data.bytes.substr(0, data.bytes.size() - width)) return false;
    TensorData first = data;
    constexpr std::int64_t kOne[] = {1};
    first.dims = kOne;
    first.bytes = data.bytes.substr(0, width);
    const auto value = decode(first);
    const auto number = value ? value->items[0].number() : std::nullopt;
    return number && (*number == 0 || *number == 1);
  }
  const auto value = decode(data);
  if (!value || value->items.empty()) return false;
  const auto first = value->items[0].number();
  return first && (*first == 0 || *first == 1) &&
         std::all_of(value->items.begin(), value->items.end(),
                     [&](const Scalar& item) { return item.number() == first; });
}

bool could_be_learned(DType type, bool takes_weights) {
  if (is_float(type)) return true;
  if (type == DType::I32) return takes_weights;
  return is_integer(type) && bits(type) <= 8;
}

}  // namespace

bool is_constant(const Graph& graph, const Constants& constants, const Node& node,
                 const OpRule* rule) {
  if (rule != nullptr && rule->traits.op == Op::Constant) return true;
  if (node.phase == Phase::Optimizer) return false;  // it runs in every step, on what is stored
  bool values = !node.outputs.empty();
  for (TensorId id : node.outputs)
    values = values && id != kNone && graph.tensors[id].value != nullptr;
  if (values) return true;
  if (node.inputs.empty()) return false;
  for (TensorId id : node.inputs)
    if (id != kNone && !constants[id]) return false;
  for (const Attribute& attribute : node.attributes)
    if (std::holds_alternative<Graph*>(attribute.value)) return false;
  return true;
}

Constants stored_tensors(const Graph& graph, const Constants* outer) {
  Constants constants(graph.tensors.size(), false);
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.role == Role::Initializer || (tensor.role == Role::Captured && outer != nullptr &&
                                             tensor.outer != kNone && (*outer)[tensor.outer]))
      constants[id] = true;
  }
  return constants;
}

namespace {

// Walks from the last node of a graph to the first: the inputs of a node go where its result goes,
// if the result is known when the model is loaded.
class WeightPlaces {
 public:
  WeightPlaces(const Graph& graph, const Constants& constants)
      : graph_(graph), constants_(constants) {}

  // `goes`: tensors that bodies need as weights must already be marked.
  void find(std::vector<bool>& goes) const {
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      const Node& node = graph_.nodes[id];
      const bool folded =
          !node.outputs.empty() && node.outputs[0] != kNone && constants_[node.outputs[0]];
      const bool wanted =
          folded && std::any_of(node.outputs.begin(), node.outputs.end(),
                                [&](TensorId output) { return output != kNone && goes[output]; });
      for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const TensorId input = node.inputs[slot];
        if (input == kNone || !constants_[input] || goes[input]) continue;
        const bool passed_on = wanted && !is_setting(node, slot) && !has_macs(graph_, node);
        goes[input] = passed_on || takes_weight(node, slot, folded) || is_shift(node, slot) ||
                      is_scale(node, slot);
      }
    }
  }

 private:
  std::optional<Node> maker_of(TensorId id) const {
    const NodeId producer = id == kNone ? kNone : graph_.tensors[id].producer;
    return producer == kNone ? std::nullopt : std::optional<Node>(graph_.nodes[producer]);
  }
  bool takes_weight(const Node& node, std::size_t slot, bool folded) const {
    if (is_setting(node, slot)) return false;
    if (traits_of(node).learns_without_product()) return true;
    return has_macs(graph_, node) && !(folded && slot == 0);
  }
  // True if it has one element per channel of the tensor it is added to or multiplied by.
  bool is_by_channel(TensorId vector, TensorId other, bool last) const {
    const TypeInfo& own = graph_.tensors[vector].type;
    const TypeInfo& type = graph_.tensors[other].type;
    if (!own.ranked || !type.ranked || type.dims.empty()) return false;
    const std::size_t axis = last || type.dims.size() < 2 ? type.dims.size() - 1 : 1;
    return elements(own.dims) == type.dims[axis];
  }
  static bool is_of_two(const Node& node, Op op) {
    return node.inputs.size() == 2 && traits_of(node).op == op;
  }
  // True if it is the bias of a product, or the shift of a norm.
  bool is_shift(const Node& node, std::size_t slot) const {
    if (!is_of_two(node, Op::Add)) return false;
    const TensorId other = node.inputs[1 - slot];
    const std::optional<Node> maker = maker_of(other);
    if (!maker) return false;
    const bool scaled =
        is_of_two(*maker, Op::Mul) && ((constants_[maker->inputs[0]] && is_scale(*maker, 0)) ||
                                       (constants_[maker->inputs[1]] && is_scale(*maker, 1)));
    if (!scaled && !has_macs(graph_, *maker)) return false;
    // For a linear layer, the channels are the last axis.
    const bool last = scaled || traits_of(*maker).kind_with_weights == LayerKind::Linear;
    return is_by_channel(node.inputs[slot], other, last);
  }
  // True if it is the scale of a norm written as several nodes: after the division by the
  // deviation.
  bool is_scale(const Node& node, std::size_t slot) const {
    if (!is_of_two(node, Op::Mul)) return false;
    const TensorId other = node.inputs[1 - slot];
    const std::optional<Node> maker = maker_of(other);
    return maker && is_of_two(*maker, Op::Div) && !constants_[other] &&
           !constants_[maker->inputs[1]] && is_by_channel(node.inputs[slot], other, true);
  }

  const Graph& graph_;
  const Constants& constants_;
};

bool has_constant_weights(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    if (!node.inputs.empty()) return false;
    const TensorData* data = constant_of(node).data;
    return data != nullptr && is_float(data->dtype) && !data->dims.empty() &&
           traits_of(node).op == Op::Constant;
  });
}

// Graphs in an order in which bodies follow the graphs that contain them.
std::vector<const Graph*> outer_first(const Model& model) {
  std::vector<const Graph*> graphs;
  std::unordered_map<const Graph*, int> depth;
  for (const Graph& graph : model.graphs) {
    graphs.push_back(&graph);
    int& own = depth[&graph];
    for (const Graph* at = graph.parent; at != nullptr; at = at->parent) ++own;
  }
  std::stable_sort(graphs.begin(), graphs.end(),
                   [&](const Graph* a, const Graph* b) { return depth[a] < depth[b]; });
  return graphs;
}

}  // namespace

ParameterRule::ParameterRule(const Model& model) {
  if (std::none_of(model.graphs.begin(), model.graphs.end(), has_constant_weights)) return;
  const std::vector<const Graph*> graphs = outer_first(model);
  std::unordered_map<const Graph*, Constants> constants;
  for (const Graph* graph : graphs) {
    const auto outer = constants.find(graph->parent);
    Constants own = stored_tensors(*graph, outer == constants.end() ? nullptr : &outer->second);
    for (const Node& node : graph->nodes)
      if (is_constant(*graph, own, node, find_rule(node.domain, node.op, node.opset)))
        for (const TensorId output : node.outputs)
          if (output != kNone) own[output] = true;
    constants.emplace(graph, std::move(own));
    goes_to_weight_[graph].assign(graph->tensors.size(), false);
  }
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
    std::vector<bool>& goes = goes_to_weight_[*graph];
    WeightPlaces(**graph, constants[*graph]).find(goes);
    if ((*graph)->parent == nullptr) continue;
    std::vector<bool>& outer = goes_to_weight_[(*graph)->parent];
    for (TensorId id = 0; id < goes.size(); ++id)
      if (const Tensor& tensor = (*graph)->tensors[id];
          goes[id] && tensor.role == Role::Captured && tensor.outer != kNone)
        outer[tensor.outer] = true;
  }
}

bool ParameterRule::is_parameter(const Graph& graph, const Node& node, const OpRule* rule,
                                 std::size_t slot, const WeightRef& weight,
                                 const NodeCost& cost) const {
  if (weight.data->learned != Learned::Unknown) return weight.data->learned == Learned::Yes;
  const bool takes_weights =
      !cost.macs.is(0) || (rule != nullptr && rule->traits.learns_without_product());
  if (!could_be_learned(weight.data->dtype, takes_weights)) return false;
  const bool is_data = cost.folded && !cost.macs.is(0) && slot == 0;
  if (is_data) return false;
  if (!weight.from_constant) return true;
  if (weight.data->dims.empty() || is_filler(*weight.data)) return false;
  const auto goes = goes_to_weight_.find(&graph);
  return takes_weights || (goes != goes_to_weight_.end() && goes->second[node.inputs[slot]]);
}

WeightRef weight_of(const Graph& graph, TensorId tensor) { return weight_of(graph, tensor, {}); }

WeightRef weight_of(const Graph& start, TensorId id, std::span<const OpRule* const> rows) {
  const Graph* graph = &start;
  const Tensor* own_copy = nullptr;
  for (int step = 0; step < kMaxChain && id != kNone; ++step) {
    const Tensor& tensor = graph->tensors[id];
    if (tensor.role == Role::Captured) {
      id = tensor.outer;
      graph = graph->parent;
      continue;
    }
    WeightRef found;
    if (tensor.role == Role::Initializer) {
      found.data = tensor.data;
    } else {
      if (tensor.producer == kNone) return {};
      const Node& node = graph->nodes[tensor.producer];
      const OpRule* rule = graph == &start && tensor.producer < rows.size()
                               ? rows[tensor.producer]
                               : find_rule(node.domain, node.op, node.opset);
      if (rule == nullptr) return {};
      if (rule->traits.op != Op::Constant) {
        if (!rule->passes_weights || node.inputs.empty()) return {};
        // Exporters merge equal parameters and leave an Identity for each one removed, so its
        // output is a parameter of its own.
        if (rule->traits.op == Op::Identity && own_copy == nullptr) own_copy = &tensor;
        id = node.inputs[0];
        continue;
      }
      found = constant_of(node);
    }
    // A file that says what its parameters are also says which of them are the same.
    const bool is_stated = found.data != nullptr && found.data->learned != Learned::Unknown;
    const void* key = own_copy != nullptr && !is_stated ? static_cast<const void*>(own_copy)
                                                        : static_cast<const void*>(found.data);
    found.key = reinterpret_cast<std::uintptr_t>(key);
    return found;
  }
  return {};
}

}  // namespace strata
