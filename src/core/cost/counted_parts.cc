// Chooses the parts of a layer that a convention counts.
#include <algorithm>
#include <array>

#include "cost/convention_rules.h"
#include "cost/layer_kind.h"
#include "cost/linear_node.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {

namespace {

bool runs(const Executed& executed) { return !executed.cost->folded; }

bool is_one_operator(const Costs& costs, const Layers& layers, const Layer& layer) {
  const auto members = layers.nodes_of(layer);
  return std::count_if(members.begin(), members.end(),
                       [&](std::uint32_t i) { return runs(costs.nodes[i]); }) <= 1;
}

// torch.nn's MultiheadAttention, by the names of parameters that it alone has.
bool is_multihead(const Costs& costs, const Layers& layers, const Layer& layer) {
  if (layer.kind != LayerKind::Attention || layer.functional) return false;
  for (std::uint32_t index : layers.nodes_of(layer)) {
    const Executed& executed = costs.nodes[index];
    for (TensorId id : executed.get().inputs) {
      if (id == kNone) continue;
      const WeightRef weight = weight_of(*executed.graph, id);
      if (weight.data == nullptr) continue;
      const std::string_view name = weight.data->name;
      const std::string_view own = name.substr(name.rfind('.') + 1);
      if (own == "in_proj_weight" || own == "in_proj_bias") return true;
    }
  }
  return false;
}

CountedPart one_node(const Costs& costs, LayerKind kind, std::uint32_t index,
                     const RuleTable* table) {
  CountedPart part;
  part.kind = kind;
  part.main = index;
  part.table = table;
  if (kind == LayerKind::Linear) part.bias = bias_of(costs, index);
  return part;
}

// Conventions name operators as ONNX does.
std::string_view onnx_name(const Node& node) {
  const OpRule* row = find_rule(node.domain, node.op, node.opset);
  return row == nullptr || row->like.empty() ? node.op : row->like;
}

}  // namespace

bool counts_operator(const ConventionRules& rules, const Node& node) {
  const bool between = rules.functional == ConventionRules::Functional::OwnTable;
  const LayerRule* rule = rules.modules.find_operator(onnx_name(node));
  if (rule == nullptr && between) rule = rules.between.find_operator(onnx_name(node));
  if (rule == nullptr) return false;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    const bool moved = m == static_cast<std::size_t>(Metric::ReadBytes) ||
                       m == static_cast<std::size_t>(Metric::WriteBytes);
    // Strata knows the bytes of every operator whose tensors have known sizes.
    if (moved && rules.fallback == ConventionRules::Default::Strata) continue;
    if (rules.labels[m] && !rule->formulas[m]) return false;
  }
  return true;
}

const LayerRule* rule_for(const CountedPart& part, const Costs& costs) {
  if (part.multihead) return part.table->multihead();
  const Executed& main = costs.nodes[part.main];
  const std::size_t rank = NodeView(*main.graph, main.get()).rank(0);
  return part.table->find(part.kind, rank > 2 ? rank - 2 : 1,
                          part.one_operator ? onnx_name(main.get()) : std::string_view());
}

LayerFacts facts_of(const CountedPart& part, const Costs& costs, const Layers& layers,
                    const Layer& layer) {
  const std::array<std::uint32_t, 2> own = {part.main, part.bias};
  const std::span<const std::uint32_t> nodes(own.data(), part.bias == kNone ? 1 : 2);
  return {costs, part.kind, part.main, part.whole_layer ? layers.nodes_of(layer) : nodes};
}

CountedParts parts_of(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                      const Layer& layer) {
  using Functional = ConventionRules::Functional;
  CountedParts parts;
  if (!runs(costs.nodes[layer.main])) return parts;
  const RuleTable* between =
      rules.functional == Functional::OwnTable ? &rules.between : &rules.modules;
  const bool one_operator = is_one_operator(costs, layers, layer);
  CountedPart whole;
  whole.kind = layer.kind;
  whole.main = layer.main;
  whole.whole_layer = true;
  whole.one_operator = one_operator;
  whole.table = &rules.modules;
  if (rules.modules.multihead() != nullptr && is_multihead(costs, layers, layer)) {
    whole.multihead = true;
    parts.push_back(whole);
    return parts;
  }
  // A module of several operators, none of which is the whole module: attention, a custom block.
  // Tools that count operators see each of them.
  const bool composite =
      !one_operator && (layer.kind == LayerKind::Other || layer.kind == LayerKind::Attention ||
                        layer.kind == LayerKind::Unknown);
  if (composite && rules.functional != Functional::Ignored) {
    InlineVector<std::uint32_t, 4> biases;
    for (std::uint32_t index : layers.nodes_of(layer)) {
      const Executed& executed = costs.nodes[index];
      if (!runs(executed) || std::find(biases.begin(), biases.end(), index) != biases.end())
        continue;
      parts.push_back(
          one_node(costs, counted_kind(*executed.graph, executed.get()), index, between));
      if (parts.back().bias != kNone) biases.push_back(parts.back().bias);
    }
  } else if (layer.functional && rules.functional == Functional::Ignored) {
    return parts;
  } else if (one_operator && layer.kind == LayerKind::Linear) {
    parts.push_back(
        one_node(costs, layer.kind, layer.main, layer.functional ? between : &rules.modules));
  } else if (layer.functional) {
    whole.table = between;
    parts.push_back(whole);
  } else if (layer.kind == LayerKind::Recurrent) {
    // A module with several recurrent layers has one node for each.
    for (std::uint32_t index : layers.nodes_of(layer))
      if (kind_of_node(*costs.nodes[index].graph, costs.nodes[index].get()) == layer.kind)
        parts.push_back(one_node(costs, layer.kind, index, &rules.modules));
  } else {
    parts.push_back(whole);
  }
  return parts;
}

}  // namespace strata
