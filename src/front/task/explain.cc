#include "strata/task/explain.h"

#include "base/formula_scope.h"

namespace strata {

Result<std::string> run_explain(const ExplainRequest& request) {
  const auto convention = find_convention(request.convention);
  if (!convention) return failure(convention);
  const auto loaded = load_model(request.model);
  if (!loaded) return failure(loaded);
  const FormulaScope scope(loaded->model.file_bytes, request.model.limit);
  const auto explain_with = [&](const Costs& costs) {
    const Layers layers = find_layers(loaded->model, costs);
    return explain(loaded->model, costs, layers, request.layer, *convention, request.style);
  };
  const Costs costs = count(loaded->model);
  auto text = explain_with(costs);
  if (!text && text.error().code == Code::NoLayer && costs.has_load_work)
    if (auto at_load = explain_with(count(loaded->model, {.load_work = true}))) return at_load;
  return text;
}

}  // namespace strata
