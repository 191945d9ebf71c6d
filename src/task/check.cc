#include "strata/task/check.h"

#include <filesystem>

#include <fmt/format.h>

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

}  // namespace

Result<CheckOutcome> run_check(const CheckRequest& request, const Observer& observer) {
  auto budgets = read_budgets(request.budget);
  if (!budgets) return failure(budgets);
  if (!request.baseline.empty()) budgets->baseline = request.baseline;
  const auto loaded = load_side({.model = request.model,
                                 .convention = request.convention,
                                 .time = request.time ? &*request.time : nullptr},
                                observer);
  if (!loaded) return failure(loaded);
  if (request.time && !loaded->interrupted && loaded->side.kind != "model")
    return failure(fmt::format("{} is a saved document, which cannot be run", request.model.path),
                   ErrorKind::Usage);
  CheckOutcome out{{}, loaded->bytes, loaded->interrupted};
  if (out.interrupted) return out;
  if (!has_growth(*budgets) || budgets->baseline.empty()) {
    out.outcome = budget::judge(*budgets, loaded->side, nullptr);
    return out;
  }
  SideRequest before{.model = request.model, .convention = request.convention};
  before.model.path = budgets->baseline;
  const auto baseline = load_side(before);
  if (!baseline) return failure(baseline);
  out.outcome = budget::judge(*budgets, loaded->side, &baseline->side);
  return out;
}

}  // namespace strata
