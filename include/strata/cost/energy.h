// Speculative energy: counts times published figures for the energy of one operation and of one
// memory access (data/energy.json, each with its source).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/inline_vector.h"
#include "strata/base/result.h"
#include "strata/cost/amount.h"
#include "strata/cost/convention.h"
#include "strata/cost/layers.h"

namespace strata {

struct EnergyRules;
class EnergyCounter;

// The figures and formulas of one energy model.
class EnergyModel {
 public:
  explicit EnergyModel(std::shared_ptr<const EnergyRules> rules) : rules_(std::move(rules)) {}

  const std::string& name() const;
  const std::string& title() const;
  const std::vector<std::string>& notes() const;
  // The terms that its energy is the sum of: `products`, `sums`, `memory`.
  const std::vector<std::string>& terms() const;
  // The formula of a term, typeset.
  std::string formula(std::size_t term) const;
  // The convention that it uses when `chosen` is shown.
  std::string convention_for(std::string_view chosen) const;

  const EnergyRules& rules() const { return *rules_; }

 private:
  std::shared_ptr<const EnergyRules> rules_;
};

std::vector<std::string> energy_model_names();  // strata's own first
Result<EnergyModel> find_energy_model(std::string_view name);

// Picojoules of one addition and one multiplication in a type; nullopt for types that nothing is
// computed in.
struct OperationEnergy {
  Amount add, mul;
};
std::optional<OperationEnergy> operation_energy(DType type);

struct Energy {
  Amount picojoules;              // unknown if a count or the type's figures are unknown
  InlineVector<Amount, 4> terms;  // in the order of EnergyModel::terms()
  Certainty certainty = Certainty::Exact;
};

struct EnergyCosts {
  std::vector<Energy> layers;  // in the order of Layers::list
  Energy total;
};

// The energy of layers, one at a time. It refers to the costs and layers. `chosen` is the
// convention that is shown; a model made for another convention counts with its own.
class LayerEnergy {
 public:
  static Result<LayerEnergy> make(const EnergyModel& model, const Convention& chosen,
                                  const Costs& costs, const Layers& layers);
  Energy of(std::size_t layer) const;

 private:
  LayerEnergy(const EnergyModel& model, const Costs& costs, const Layers& layers);

  std::shared_ptr<EnergyCounter> counter_;
  EnergyModel model_;
  const Costs* costs_;
  const Layers* layers_;
  std::optional<ConventionCosts> counts_;  // of models that only know layers
};

// All of it.
Result<EnergyCosts> count_energy(const EnergyModel& model, const Convention& chosen,
                                 const Costs& costs, const Layers& layers);
// The energy of one node over all its runs; nullopt for models that only know layers.
std::optional<Energy> node_energy(const EnergyModel& model, const Executed& node);

}  // namespace strata
