#include "strata/cost/convention.h"

#include <algorithm>

#include "cost/convention_rules.h"
#include "cost/layer_kind.h"
#include "ops/node_view.h"

namespace strata {

namespace {

bool runs(const Executed& executed) { return !executed.cost.folded; }

bool is_one_operator(const Costs& costs, const Layers& layers, const Layer& layer) {
  const auto members = layers.nodes_of(layer);
  return std::count_if(members.begin(), members.end(),
                       [&](std::uint32_t i) { return runs(costs.nodes[i]); }) <= 1;
}

LayerCount strata_count(const Costs& costs, const Layers& layers, const Layer& layer) {
  NodeCost sum;
  for (std::uint32_t index : layers.nodes_of(layer))
    add_to(sum, costs.nodes[index].cost, costs.nodes[index].times);
  LayerCount count;
  count[Metric::Macs] = sum.macs;
  count[Metric::Flops] = sum.flops();
  count[Metric::ReadBytes] = sum.read_bytes;
  count[Metric::WriteBytes] = sum.write_bytes;
  count.certainty = sum.certainty;
  // A single unknown node is not a lower bound of 0.
  if (layer.count == 1) count.certainty = costs.nodes[layer.main].cost.certainty;
  return count;
}

void add_part(LayerCount& count, const ConventionRules& rules, const Costs& costs,
              const Layers& layers, const Layer& layer, const CountedPart& part) {
  const LayerRule* rule = rule_for(part, costs);
  if (rule == nullptr && !rules.default_unknown) return;
  const auto own = std::span(&part.main, 1);
  const LayerFacts facts(costs, part.kind, part.main,
                         part.whole_layer ? layers.nodes_of(layer) : own);
  count.dtype = facts.dtype();
  for (std::size_t m = 0; m < kMetrics; ++m) {
    if (!rules.labels[m]) continue;
    const auto metric = static_cast<Metric>(m);
    Amount amount = rules.default_unknown ? Amount::unknown() : Amount(0);
    if (rule != nullptr && rule->formulas[m]) amount = rule->formulas[m]->evaluate(facts.values());
    if (metric == Metric::ReadBytes || metric == Metric::WriteBytes)
      amount = bytes_of_amount(amount, facts.dtype());
    count[metric] += amount * Amount(facts.times());
  }
}

LayerCount count_layer(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                       const Layer& layer) {
  LayerCount count;
  const auto parts = parts_of(rules, costs, layers, layer);
  count.counted = !parts.empty();
  for (const CountedPart& part : parts) add_part(count, rules, costs, layers, layer, part);
  // Other tools' formulas count the branch that is listed, and another one may cost more.
  for (std::uint32_t index : layers.nodes_of(layer))
    if (costs.nodes[index].cost.depends_on_branch) count.certainty = Certainty::LowerBound;
  for (const Amount& amount : count.amounts)
    if (amount.is_unknown()) count.certainty = Certainty::Unknown;
  return count;
}

}  // namespace

const LayerRule* rule_for(const CountedPart& part, const Costs& costs) {
  const Executed& main = costs.nodes[part.main];
  const std::size_t rank = NodeView(*main.graph, main.get()).rank(0);
  return part.table->find(part.kind, rank > 2 ? rank - 2 : 1,
                          part.one_operator ? main.get().op : std::string_view());
}

CountedParts parts_of(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                      const Layer& layer) {
  using Functional = ConventionRules::Functional;
  CountedParts parts;
  if (!runs(costs.nodes[layer.main])) return parts;
  const RuleTable* between =
      rules.functional == Functional::OwnTable ? &rules.between : &rules.modules;
  const bool one_operator = is_one_operator(costs, layers, layer);
  // A module of several operators, none of which is the whole module: attention, a custom block.
  // Tools that count operators see each of them.
  const bool composite =
      !one_operator && (layer.kind == LayerKind::Other || layer.kind == LayerKind::Attention ||
                        layer.kind == LayerKind::Unknown);
  if (composite && rules.functional != Functional::Ignored) {
    for (std::uint32_t index : layers.nodes_of(layer)) {
      const Executed& executed = costs.nodes[index];
      if (!runs(executed)) continue;
      parts.push_back({kind_of_node(*executed.graph, executed.get()), index, false, true, between});
    }
  } else if (layer.functional) {
    if (rules.functional != Functional::Ignored)
      parts.push_back({layer.kind, layer.main, true, one_operator, between});
  } else if (layer.kind == LayerKind::Recurrent) {
    // A module with several recurrent layers has one node for each.
    for (std::uint32_t index : layers.nodes_of(layer))
      if (kind_of_node(*costs.nodes[index].graph, costs.nodes[index].get()) == layer.kind)
        parts.push_back({layer.kind, index, false, true, &rules.modules});
  } else {
    parts.push_back({layer.kind, layer.main, true, one_operator, &rules.modules});
  }
  return parts;
}

Amount bytes_of_amount(const Amount& elements, DType type) {
  if (elements.is_whole()) return bytes(elements.above(), type);
  return bits(type) == 0 ? Amount::unknown() : elements * Amount::ratio(bits(type), 8);
}

ConventionCosts count_as(const Convention& convention, const Costs& costs, const Layers& layers) {
  const ConventionRules& rules = convention.rules();
  ConventionCosts result;
  result.layers.reserve(layers.list.size());
  LayerCount& total = result.total;
  for (const Layer& layer : layers.list) {
    LayerCount count = rules.is_strata ? strata_count(costs, layers, layer)
                                       : count_layer(rules, costs, layers, layer);
    for (std::uint32_t index : layers.nodes_of(layer))
      count.params += costs.nodes[index].cost.params;
    for (std::size_t m = 0; m < kMetrics; ++m)
      if (!count.amounts[m].is_unknown()) total.amounts[m] += count.amounts[m];
    if (count.certainty != Certainty::Exact) total.certainty = Certainty::LowerBound;
    total.params += count.params;
    result.layers.push_back(std::move(count));
  }
  return result;
}

const std::string& Convention::name() const { return rules_->name; }
const std::string& Convention::title() const { return rules_->title; }
const std::string& Convention::source() const { return rules_->source; }
const std::vector<std::string>& Convention::quirks() const { return rules_->quirks; }
bool Convention::has(Metric metric) const {
  return rules_->labels[static_cast<std::size_t>(metric)].has_value();
}
const std::string& Convention::label(Metric metric) const {
  static const std::string none;
  const auto& label = rules_->labels[static_cast<std::size_t>(metric)];
  return label ? *label : none;
}
Metric Convention::headline() const { return rules_->headline; }
bool Convention::is_strata() const { return rules_->is_strata; }

}  // namespace strata
