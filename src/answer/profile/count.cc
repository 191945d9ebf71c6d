#include <algorithm>

#include "base/pool.h"
#include "cost/folded_norms.h"
#include "profile/analyse.h"
#include "profile/figures.h"
#include "strata/cost/energy.h"

namespace strata {

namespace {

// `has_phases` says that some node of the model is not of the forward pass.
Figures own_figures(const Executed& executed, bool has_phases) {
  const NodeCost& cost = executed.cost;
  const Expr& times = executed.times;
  Figures figures;
  figures.params = cost.params;
  figures.param_bytes = cost.param_bytes;
  figures.macs = cost.macs * times;
  figures.flops = cost.flops() * times;
  figures.read_bytes = cost.read_bytes * times;
  figures.write_bytes = cost.write_bytes * times;
  if (has_phases && !cost.folded) {
    PhaseFigures& phases = figures.phases.emplace();
    const auto phase = static_cast<std::size_t>(executed.get().phase);
    phases.macs[phase] = figures.macs;
    phases.flops[phase] = figures.flops;
  }
  if (times.is(0)) return figures;
  figures.work = figures.macs_work = cost.certainty;
  // At least some operations, but none of them a MAC (NonMaxSuppression).
  if (cost.certainty == Certainty::LowerBound && cost.macs.is(0))
    figures.macs_work = Certainty::Exact;
  figures.bytes = cost.bytes_certainty;
  if (figures.phases) {
    const auto phase = static_cast<std::size_t>(executed.get().phase);
    figures.phases->macs_work[phase] = figures.macs_work;
    figures.phases->work[phase] = figures.work;
  }
  return figures;
}

Expr tensors_bytes(const Graph& graph, std::span<const TensorId> ids) {
  Expr sum;
  for (TensorId id : ids) {
    const TypeInfo& type = graph.tensors[id].type;
    if (type.kind != ValueKind::Tensor || !type.ranked) return Expr::unknown();
    sum += bytes(elements(type.dims), type.dtype);
  }
  return sum;
}

// One node as a layer. What is not known of it is left out, as in a sum, but for work of which
// nothing is known.
Figures layer_of_one(Figures figures) {
  for (Expr* number : {&figures.params, &figures.param_bytes})
    if (number->is_unknown()) *number = 0;
  for (Amount* amount : {&figures.macs, &figures.flops, &figures.read_bytes, &figures.write_bytes})
    if (amount->is_unknown()) *amount = 0;
  if (figures.work == Certainty::Unknown) figures.macs = figures.flops = Expr::unknown();
  return figures;
}

// True if all its figures are 0, as for the many nodes that compute sizes.
bool costs_nothing(const NodeCost& cost) {
  return cost.certainty == Certainty::Exact && cost.bytes_certainty == Certainty::Exact &&
         cost.params.is(0) && cost.param_bytes.is(0) && cost.macs.is(0) && cost.adds.is(0) &&
         cost.muls.is(0) && cost.specials.is(0) && cost.read_bytes.is(0) && cost.write_bytes.is(0);
}

// Strata's own count of a layer, from its nodes; `sum` is empty.
void count_layer(const Analysis& a, std::uint32_t index, Figures& sum) {
  const Layer& layer = a.layers.list[index];
  const Executed& executed = a.costs.nodes[layer.main];
  if (layer.count > 1) {
    for (std::uint32_t node : a.layers.nodes_of(layer))
      if (!costs_nothing(a.costs.nodes[node].cost))
        add_to(sum, own_figures(a.costs.nodes[node], a.has.has(Need::Phases)));
  } else if (!costs_nothing(executed.cost)) {
    sum = layer_of_one(own_figures(executed, a.has.has(Need::Phases)));
  }
  sum.activation_bytes = tensors_bytes(*executed.graph, a.edges.outputs(index)) * executed.times;
}

constexpr std::pair<Metric, Need> kCounted[] = {{Metric::Macs, Need::Macs},
                                                {Metric::Flops, Need::Flops},
                                                {Metric::ReadBytes, Need::ReadBytes},
                                                {Metric::WriteBytes, Need::WriteBytes}};

std::uint8_t missing_metrics(const Analysis& a) {
  std::uint8_t missing = 0;
  for (const auto& [metric, need] : kCounted)
    if (!a.has.has(need))
      missing = static_cast<std::uint8_t>(missing | (1u << static_cast<unsigned>(metric)));
  return missing;
}

// A convention counts layers, and its numbers replace our own.
void replace(Figures& figures, const LayerCount& layer, std::uint8_t missing) {
  figures.macs = layer[Metric::Macs];
  figures.flops = layer[Metric::Flops];
  figures.read_bytes = layer[Metric::ReadBytes];
  figures.write_bytes = layer[Metric::WriteBytes];
  figures.macs_work = figures.work = layer.certainty;
  figures.bytes = layer.bytes_certainty.value_or(layer.certainty);
  figures.missing = missing;
}

// In a table of nodes, a convention's numbers stand at the node that makes the layer what it is.
void replace_in_nodes(Analysis& a, const ConventionCosts& counted, std::uint8_t missing) {
  fill_nodes(a);
  std::vector<bool> kept(a.by_node.size());  // nodes whose own figures stand
  for (std::size_t i = 0; i < a.layers.list.size(); ++i)
    if (counted.layers[i].is_stratas)
      for (std::uint32_t node : a.layers.nodes_of(a.layers.list[i])) kept[node] = true;
  for (std::size_t node = 0; node < kept.size(); ++node) {
    if (!kept[node])
      replace(a.by_node[node].edit(), LayerCount{}, missing);
    else if (missing != 0)
      a.by_node[node].edit().missing = missing;
  }
  for (std::size_t i = 0; i < a.layers.list.size(); ++i)
    if (!counted.layers[i].is_stratas)
      replace(a.by_node[a.layers.list[i].main].edit(), counted.layers[i], missing);
}

void add_energy(const EnergyModel& energy, const Executed& executed, Figures& figures) {
  const auto node = node_energy(energy, executed);
  figures.picojoules = node ? node->picojoules : Amount::unknown();
}

// Sets `energy`, if anybody needs it. A name is checked even if nobody does; strata's own needs no
// check.
Status use_energy(Analysis& a, const Convention& convention, const AnalysisOptions& options,
                  std::optional<LayerEnergy>& energy) {
  const bool needed = options.needs.has(Need::Energy);
  if (!needed && options.energy_model == AnalysisOptions().energy_model) return {};
  const auto model = find_energy_model(options.energy_model);
  if (!model) return failure(model);
  if (!needed) return {};
  auto made = LayerEnergy::make(*model, convention, a.costs, a.layers);
  if (!made) return failure(made);
  energy = std::move(*made);
  a.has |= Need::Energy;
  a.node_energy = *model;
  for (std::size_t i = 0; i < a.by_node.size(); ++i)
    add_energy(*model, a.costs.nodes[i], a.by_node[i].edit());
  return {};
}

}  // namespace

Figures Analysis::figures_of(std::uint32_t node) const {
  if (!by_node.empty()) return by_node[node];
  Figures figures = own_figures(costs.nodes[node], has.has(Need::Phases));
  if (node_energy) add_energy(*node_energy, costs.nodes[node], figures);
  return figures;
}

void fill_nodes(Analysis& a) {
  if (!a.by_node.empty()) return;
  std::vector<Shared<Figures>> all;
  all.reserve(a.costs.nodes.size());
  for (std::uint32_t node = 0; node < a.costs.nodes.size(); ++node)
    all.push_back(a.figures_of(node));
  a.by_node = std::move(all);
}

Status count_figures(Analysis& a, const AnalysisOptions& options) {
  auto convention = find_convention(options.convention);
  if (!convention) return failure(convention);
  for (const auto& [metric, need] : kCounted)
    if (convention->has(metric)) a.has |= need;
  // Conventions count layers, and know no phases.
  const auto is_later = [](const Executed& executed) {
    return executed.get().phase != Phase::Forward;
  };
  if (convention->is_strata() && std::any_of(a.costs.nodes.begin(), a.costs.nodes.end(), is_later))
    a.has |= Need::Phases;

  std::optional<ConventionCosts> counted;
  const std::uint8_t missing = missing_metrics(a);
  if (!convention->is_strata()) {
    counted = count_as(*convention, a.costs, a.layers);
    a.costs.unknown_ops = not_counted(*convention, a.costs);
    if (std::string note = folded_norms_note(*convention, a.costs); !note.empty())
      a.costs.notes.push_back(std::move(note));
    replace_in_nodes(a, *counted, missing);
  } else {
    std::vector<std::string>& bounds = a.costs.lower_bounds;
    a.costs.notes.insert(a.costs.notes.end(), bounds.begin(), bounds.end());
  }
  std::optional<LayerEnergy> energy;
  if (auto status = use_energy(a, *convention, options, energy); !status) return failure(status);

  Pool<Figures> pool;
  a.by_layer.reserve(a.layers.list.size());
  for (std::size_t i = 0; i < a.layers.list.size(); ++i) {
    Figures figures;
    count_layer(a, static_cast<std::uint32_t>(i), figures);
    if (counted && !counted->layers[i].is_stratas) replace(figures, counted->layers[i], missing);
    figures.missing = missing;
    if (energy) figures.picojoules = energy->of(i).picojoules;
    a.by_layer.push_back(pool.share(std::move(figures)));
  }
  return {};
}

}  // namespace strata
