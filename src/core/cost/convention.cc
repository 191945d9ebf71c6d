#include "strata/cost/convention.h"

#include <algorithm>

#include <fmt/format.h>

#include "cost/convention_rules.h"

namespace strata {

namespace {

LayerCount strata_count(const Costs& costs, const Layers& layers, const Layer& layer) {
  NodeCost sum;
  for (std::uint32_t index : layers.nodes_of(layer))
    add_to(sum, costs.nodes[index].cost, costs.nodes[index].times);
  LayerCount count;
  count.is_stratas = true;
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
  if (rule == nullptr && rules.fallback != ConventionRules::Default::Unknown) return;
  const LayerFacts facts = facts_of(part, costs, layers, layer);
  count.dtype = facts.dtype();
  for (std::size_t m = 0; m < kMetrics; ++m) {
    if (!rules.labels[m]) continue;
    const auto metric = static_cast<Metric>(m);
    Amount amount =
        rules.fallback == ConventionRules::Default::Unknown ? Amount::unknown() : Amount(0);
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

// The operators that a part covers.
std::span<const std::uint32_t> nodes_of(const CountedPart& part, const Layers& layers,
                                        const Layer& layer, std::array<std::uint32_t, 2>& own) {
  if (part.whole_layer) return layers.nodes_of(layer);
  own = {part.main, part.bias};
  return {own.data(), part.bias == kNone ? std::size_t{1} : std::size_t{2}};
}

// Adds strata's own counts for the metrics that a rule leaves out, or for all without a rule.
void add_stratas(LayerCount& count, const Costs& costs, std::span<const std::uint32_t> nodes,
                 const LayerRule* rule) {
  for (std::uint32_t index : nodes) {
    const Executed& executed = costs.nodes[index];
    if (executed.cost->folded || executed.times.is(0)) continue;
    const NodeCost& cost = executed.cost;
    const std::array<Expr, kMetrics> own = {cost.macs, cost.flops(), cost.read_bytes,
                                            cost.write_bytes};
    for (std::size_t m = 0; m < kMetrics; ++m) {
      if (rule != nullptr && rule->formulas[m]) continue;
      const bool moved = m == static_cast<std::size_t>(Metric::ReadBytes) ||
                         m == static_cast<std::size_t>(Metric::WriteBytes);
      if (moved && cost.bytes_certainty != Certainty::Exact)
        count.bytes_certainty = Certainty::LowerBound;
      if (!moved && cost.certainty != Certainty::Exact) count.certainty = Certainty::LowerBound;
      if (!own[m].is_unknown()) count.amounts[m] += Amount(own[m]) * Amount(executed.times);
    }
  }
}

// Rules that are laid over strata's own counts: what no rule covers counts as it does there.
LayerCount overlaid_count(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                          const Layer& layer) {
  const auto parts = parts_of(rules, costs, layers, layer);
  if (std::none_of(parts.begin(), parts.end(),
                   [&](const CountedPart& part) { return rule_for(part, costs) != nullptr; }))
    return strata_count(costs, layers, layer);
  LayerCount count;
  count.bytes_certainty = Certainty::Exact;
  std::vector<std::uint32_t> covered;
  std::array<std::uint32_t, 2> own = {};
  for (const CountedPart& part : parts) {
    const LayerRule* rule = rule_for(part, costs);
    if (rule == nullptr) continue;
    add_part(count, rules, costs, layers, layer, part);
    const auto nodes = nodes_of(part, layers, layer, own);
    add_stratas(count, costs, nodes, rule);
    covered.insert(covered.end(), nodes.begin(), nodes.end());
  }
  std::sort(covered.begin(), covered.end());
  for (const std::uint32_t& index : layers.nodes_of(layer))
    if (!std::binary_search(covered.begin(), covered.end(), index))
      add_stratas(count, costs, {&index, 1}, nullptr);
  for (const Metric metric : {Metric::Macs, Metric::Flops})
    if (count[metric].is_unknown()) count.certainty = Certainty::Unknown;
  for (const Metric metric : {Metric::ReadBytes, Metric::WriteBytes})
    if (count[metric].is_unknown()) count.bytes_certainty = Certainty::Unknown;
  return count;
}

LayerCount count_one(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                     const Layer& layer) {
  if (rules.is_strata) return strata_count(costs, layers, layer);
  if (rules.fallback == ConventionRules::Default::Strata)
    return overlaid_count(rules, costs, layers, layer);
  return count_layer(rules, costs, layers, layer);
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
    LayerCount count = count_one(rules, costs, layers, layer);
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

std::vector<std::string> not_counted(const Convention& convention, const Costs& costs) {
  std::vector<std::string> left = costs.unknown_ops;
  if (left.empty() || convention.is_strata()) return left;
  for (const Executed& executed : costs.nodes) {
    if (left.empty()) break;
    const Node& node = executed.get();
    if (executed.cost->certainty != Certainty::Unknown ||
        !counts_operator(convention.rules(), node))
      continue;
    const std::string start =
        (node.domain.empty() ? std::string(node.op) : fmt::format("{}.{}", node.domain, node.op)) +
        " (";
    std::erase_if(left, [&](const std::string& listed) { return listed.starts_with(start); });
  }
  return left;
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
