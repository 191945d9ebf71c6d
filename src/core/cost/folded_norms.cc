#include "cost/folded_norms.h"

#include <algorithm>

#include <fmt/format.h>

#include "cost/convention_rules.h"
#include "ops/registry.h"

namespace strata {

namespace {

// torch.onnx names weights that it computes by the operator that reads them and a number; those
// that it takes from the module keep their names.
constexpr std::string_view kComputed = "onnx::Conv_";

bool has_folded_norm(const Executed& executed) {
  const Traits& traits = traits_of(executed.get());
  const auto inputs = executed.get().inputs;
  if (traits.product != Product::Conv || traits.weights >= inputs.size()) return false;
  const WeightRef weight = weight_of(*executed.graph, inputs[traits.weights]);
  return weight.data != nullptr && weight.data->name.starts_with(kComputed);
}

// True if the count of a convention differs between a convolution with a bias and one with a norm.
bool sees_folding(const ConventionRules& rules) {
  return std::any_of(
      rules.modules.rules().begin(), rules.modules.rules().end(), [](const LayerRule& rule) {
        if (rule.key.starts_with(name_of(LayerKind::BatchNorm))) return true;
        if (!rule.key.starts_with(name_of(LayerKind::Conv))) return false;
        return std::any_of(rule.formulas.begin(), rule.formulas.end(), [](const auto& formula) {
          if (!formula) return false;
          const auto names = formula->names();
          return std::find(names.begin(), names.end(), "b") != names.end();
        });
      });
}

}  // namespace

std::string folded_norms_note(const Convention& convention, const Costs& costs) {
  if (convention.is_strata() || !sees_folding(convention.rules())) return {};
  const auto folded = std::count_if(costs.nodes.begin(), costs.nodes.end(), has_folded_norm);
  if (folded == 0) return {};
  return fmt::format(
      "the exporter computed the weights of {} convolution{}, as it does to fold norms into them; "
      "{} "
      "counts norms and biases by themselves, so the tool's number may differ",
      folded, folded == 1 ? "" : "s", convention.name());
}

}  // namespace strata
