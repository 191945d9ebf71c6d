#include "strata/task/check.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "strata/task/llm.h"
#include "strata/task/predict.h"
#include "task/side.h"

namespace strata {

namespace {

Result<budget::Budgets> read_budgets(const std::string& text) {
  std::error_code ignored;
  if (text.ends_with(".toml") || std::filesystem::is_regular_file(text, ignored))
    return budget::read_budget_file(text);
  return budget::parse_budgets(text);
}

bool has_growth(const budget::Budgets& budgets) {
  for (const budget::Budget& budget : budgets.list)
    if (budget.kind == budget::BudgetKind::Growth) return true;
  return false;
}

// The predicted latency of the model, and of each layer. A layer that runs in the kernel of another
// takes no time of its own.
Status add_prediction(const CheckRequest& request, compare::Side& side) {
  if (side.kind != "model")
    return failure(
        fmt::format("{} is a saved document, and a latency can only be predicted for a model",
                    request.model.source.word()),
        ErrorKind::Usage);
  const auto outcome =
      run_predict({.model = request.model, .devices = {*request.device}, .batches = false});
  if (!outcome) return failure(outcome);
  const PredictedDevice& one = outcome->devices.front();
  side.settings.emplace_back("device", one.predictor.device().name);
  if (one.time.unknown > 0) return {};  // the time is a lower bound
  compare::at(side.totals, compare::Measure::Latency) =
      compare::real_figure(one.time.seconds, Interval{one.time.low, one.time.high});
  std::map<std::string, double> seconds;
  const std::vector<std::string> paths = kernel_layers(outcome->source());
  for (std::size_t i = 0; i < paths.size(); ++i) seconds[paths[i]] += one.time.kernels[i].seconds;
  for (compare::SideRow& row : side.rows)
    compare::at(row.figures, compare::Measure::Latency) =
        compare::real_figure(std::exchange(seconds[row.name], 0));
  return {};
}

}  // namespace

Result<CheckOutcome> run_check(const CheckRequest& request, const Observer& observer) {
  if (is_llm_budget(request.budget)) {
    auto judged = judge_llm(request.model.source.word(), request.budget);
    if (!judged) return failure(judged);
    return CheckOutcome{.outcome = std::move(*judged)};
  }
  auto budgets = read_budgets(request.budget);
  if (!budgets) return failure(budgets);
  if (!request.baseline.empty()) budgets->baseline = request.baseline;
  auto loaded = load_side({.model = request.model,
                           .convention = request.convention,
                           .as_stored = request.as_stored,
                           .time = request.time ? &*request.time : nullptr},
                          observer);
  if (!loaded) return failure(loaded);
  if (request.time && !loaded->interrupted && loaded->side.kind != "model")
    return failure(
        fmt::format("{} is a saved document, which cannot be run", request.model.source.word()),
        ErrorKind::Usage);
  CheckOutcome out{{}, loaded->bytes, loaded->interrupted};
  if (out.interrupted) return out;
  if (request.device)
    if (Status status = add_prediction(request, loaded->side); !status) return failure(status);
  if (!has_growth(*budgets) || budgets->baseline.empty()) {
    out.outcome = budget::judge(*budgets, loaded->side, nullptr);
    return out;
  }
  SideRequest before{
      .model = request.model, .convention = request.convention, .as_stored = request.as_stored};
  before.model.source = budgets->baseline;
  const auto baseline = load_side(before);
  if (!baseline) return failure(baseline);
  out.outcome = budget::judge(*budgets, loaded->side, &baseline->side);
  return out;
}

}  // namespace strata
