#include "cost/work_terms.h"

#include <array>

#include <fmt/format.h>

#include "cost/explain_page.h"
#include "ops/cost_context.h"
#include "ops/registry.h"

namespace strata {

std::vector<WorkRow> work_rows(const Costs& costs, const Layers& layers, const Layer& layer) {
  constexpr std::array<std::string_view, 4> kWork = {"MACs", "adds", "muls", "specials"};
  std::vector<WorkRow> rows;
  for (std::uint32_t index : layers.nodes_of(layer)) {
    const Executed& executed = costs.nodes[index];
    if (executed.cost->folded) continue;
    const Node& node = executed.get();
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    const bool has_cost = rule != nullptr && rule->cost != nullptr;
    std::vector<WorkTerm> terms;
    CostContext context(*executed.graph, node, &terms);
    if (has_cost) rule->cost(context);
    const std::string op(node.op);
    for (const WorkTerm& term : terms)
      rows.push_back({op, std::string(kWork[static_cast<std::size_t>(term.work)]),
                      page::with_groups(term.text), page::exact(term.amount)});
    if (!has_cost || context.certainty() == Certainty::Unknown)
      rows.push_back({op, "?",
                      has_cost ? std::string(context.reason()) : "this operator has no rule",
                      "unknown"});
  }
  return rows;
}

std::string formula_text(const Costs& costs, const Layers& layers, const Layer& layer) {
  std::string out;
  for (const WorkRow& row : work_rows(costs, layers, layer)) {
    if (!out.empty()) out += "; ";
    if (row.work == "?")
      out += fmt::format("{}: {}", row.op, row.text);
    else if (row.text == row.amount)
      out += fmt::format("{} {} = {}", row.op, row.work, row.amount);
    else
      out += fmt::format("{} {} = {} = {}", row.op, row.work, row.text, row.amount);
  }
  const Expr& times = costs.nodes[layer.main].times;
  if (!out.empty() && !times.is(1)) out += fmt::format("; {} times", page::exact(times));
  return out;
}

}  // namespace strata
