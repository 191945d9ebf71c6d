#include "strata/cost/energy.h"

#include <algorithm>

#include "cost/energy_rules.h"

namespace strata {

// The facts that a model's formulas are about, and what they give.
class EnergyCounter {
 public:
  explicit EnergyCounter(const EnergyRules& rules) : rules_(rules) {
    values_.assign(kEnergyFacts, Amount(0));
    values_.insert(values_.end(), rules.constants.begin(), rules.constants.end());
    for (std::size_t i = 0; i < rules.figures.accesses.size(); ++i)
      values_[static_cast<std::size_t>(EnergyFact::register_) + i] = rules.figures.accesses[i];
  }

  Amount& operator[](EnergyFact fact) { return values_[static_cast<std::size_t>(fact)]; }

  void set_type(DType type) {
    const auto& operation = rules_.figures.operations[static_cast<std::size_t>(type)];
    (*this)[EnergyFact::add] = operation ? operation->add : Amount::unknown();
    (*this)[EnergyFact::mul] = operation ? operation->mul : Amount::unknown();
  }

  Energy none() const {
    Energy energy;
    energy.terms.resize(rules_.formulas.size());
    return energy;
  }

  Energy energy(const Expr& times) const {
    Energy energy;
    for (const Formula& formula : rules_.formulas) {
      energy.terms.push_back(formula.evaluate({values_, {}}) * Amount(times));
      energy.picojoules += energy.terms.back();
    }
    if (energy.picojoules.is_unknown()) energy.certainty = Certainty::Unknown;
    return energy;
  }

 private:
  const EnergyRules& rules_;
  std::vector<Amount> values_;
};

namespace {

constexpr std::int64_t kWordBytes = 4;

// The type a node computes in: the type of its first input, or of its output.
DType work_type(const Executed& executed) {
  const Node& node = executed.get();
  for (const auto ids : {node.inputs, node.outputs})
    for (TensorId id : ids)
      if (id != kNone) return executed.graph->tensors[id].type->dtype;
  return DType::Undefined;
}

Energy energy_of_node(EnergyCounter& counter, const Executed& executed) {
  const NodeCost& cost = executed.cost;
  if (cost.folded || (cost.view && cost.flops().is(0))) return counter.none();
  counter[EnergyFact::macs] = cost.macs;
  counter[EnergyFact::adds] = cost.adds;
  counter[EnergyFact::muls] = cost.muls;
  counter[EnergyFact::specials] = cost.specials;
  counter[EnergyFact::flops] = cost.flops();
  counter[EnergyFact::words] = Amount::ratio(cost.read_bytes + cost.write_bytes, kWordBytes);
  counter.set_type(work_type(executed));
  // A missing figure does not matter if nothing is computed.
  if (cost.flops().is(0)) counter[EnergyFact::add] = counter[EnergyFact::mul] = 0;
  return counter.energy(executed.times);
}

Energy energy_of_layer(EnergyCounter& counter, const LayerCount& count) {
  const DType type = count.dtype;
  counter[EnergyFact::flops] = count[Metric::Flops];
  counter[EnergyFact::macs] = count[Metric::Macs];
  const Amount moved = count[Metric::ReadBytes] + count[Metric::WriteBytes];
  counter[EnergyFact::words] = moved * Amount::ratio(1, kWordBytes);
  const Amount per_element = Amount::ratio(8, bits(type));
  counter[EnergyFact::read] = count[Metric::ReadBytes] * per_element;
  counter[EnergyFact::write] = count[Metric::WriteBytes] * per_element;
  counter.set_type(type);
  if (count[Metric::Flops].is(0)) counter[EnergyFact::add] = counter[EnergyFact::mul] = 0;
  return counter.energy(1);
}

void add(Energy& sum, const Energy& more) {
  if (more.certainty != Certainty::Exact) sum.certainty = Certainty::LowerBound;
  if (sum.terms.size() < more.terms.size()) sum.terms.resize(more.terms.size());
  for (std::size_t i = 0; i < more.terms.size(); ++i) {
    if (more.terms[i].is_unknown()) continue;
    sum.terms[i] += more.terms[i];
    sum.picojoules += more.terms[i];
  }
}

bool counts_nodes(const EnergyRules& rules) { return rules.counts.front() == "strata"; }

}  // namespace

const std::string& EnergyModel::name() const { return rules_->name; }
const std::string& EnergyModel::title() const { return rules_->title; }
const std::vector<std::string>& EnergyModel::notes() const { return rules_->notes; }
const std::vector<std::string>& EnergyModel::terms() const { return rules_->terms; }
std::string EnergyModel::formula(std::size_t term) const { return rules_->formulas[term].text(); }

std::string EnergyModel::convention_for(std::string_view chosen) const {
  const auto found = std::find(rules_->counts.begin(), rules_->counts.end(), chosen);
  return found != rules_->counts.end() ? *found : rules_->counts.front();
}

std::optional<OperationEnergy> operation_energy(DType type) {
  const auto figures = energy_figures();
  return figures ? figures->operations[static_cast<std::size_t>(type)] : std::nullopt;
}

std::optional<Energy> node_energy(const EnergyModel& model, const Executed& node) {
  if (!counts_nodes(model.rules())) return std::nullopt;
  EnergyCounter counter(model.rules());
  return energy_of_node(counter, node);
}

LayerEnergy::LayerEnergy(const EnergyModel& model, const Costs& costs, const Layers& layers)
    : counter_(std::make_shared<EnergyCounter>(model.rules())),
      model_(model),
      costs_(&costs),
      layers_(&layers) {}

Result<LayerEnergy> LayerEnergy::make(const EnergyModel& model, const Convention& chosen,
                                      const Costs& costs, const Layers& layers) {
  LayerEnergy energy(model, costs, layers);
  if (counts_nodes(model.rules())) return energy;
  const std::string wanted = model.convention_for(chosen.name());
  const auto own = wanted == chosen.name() ? Result<Convention>(chosen) : find_convention(wanted);
  if (!own) return failure(own);
  energy.counts_ = count_as(*own, costs, layers);
  return energy;
}

Energy LayerEnergy::of(std::size_t layer) const {
  if (counts_) return energy_of_layer(*counter_, counts_->layers[layer]);
  Energy energy;
  const Layer& own = layers_->list[layer];
  for (const std::uint32_t index : layers_->nodes_of(own))
    add(energy, energy_of_node(*counter_, costs_->nodes[index]));
  if (own.count == 1 && energy.certainty != Certainty::Exact) energy.certainty = Certainty::Unknown;
  return energy;
}

Result<EnergyCosts> count_energy(const EnergyModel& model, const Convention& chosen,
                                 const Costs& costs, const Layers& layers) {
  const auto energy = LayerEnergy::make(model, chosen, costs, layers);
  if (!energy) return failure(energy);
  EnergyCosts result;
  result.layers.reserve(layers.list.size());
  for (std::size_t layer = 0; layer < layers.list.size(); ++layer)
    add(result.total, result.layers.emplace_back(energy->of(layer)));
  return result;
}

}  // namespace strata
