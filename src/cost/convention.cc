#include "strata/cost/convention.h"

#include "cost/convention_rules.h"

namespace strata {

namespace {

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
  if (layer.count == 1) count.certainty = costs.nodes[layer.main].cost->certainty;
  return count;
}

void add_part(LayerCount& count, const ConventionRules& rules, const Costs& costs,
              const Layers& layers, const Layer& layer, const CountedPart& part) {
  const LayerRule* rule = rule_for(part, costs);
  if (rule == nullptr && !rules.default_unknown) return;
  const LayerFacts facts = facts_of(part, costs, layers, layer);
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
  if (rule != nullptr && rule->at_least) count.certainty = Certainty::LowerBound;
}

LayerCount count_layer(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                       const Layer& layer) {
  LayerCount count;
  const auto parts = parts_of(rules, costs, layers, layer);
  count.counted = !parts.empty();
  for (const CountedPart& part : parts) add_part(count, rules, costs, layers, layer, part);
  // Other tools' formulas count the branch that is listed, and another one may cost more.
  for (std::uint32_t index : layers.nodes_of(layer))
    if (costs.nodes[index].cost->depends_on_branch) count.certainty = Certainty::LowerBound;
  for (const Amount& amount : count.amounts)
    if (amount.is_unknown()) count.certainty = Certainty::Unknown;
  return count;
}

}  // namespace

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
      count.params += costs.nodes[index].cost->params;
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
  static const std::string kNoLabel;
  const auto& label = rules_->labels[static_cast<std::size_t>(metric)];
  return label ? *label : kNoLabel;
}
Metric Convention::headline() const { return rules_->headline; }
bool Convention::is_strata() const { return rules_->is_strata; }

}  // namespace strata
