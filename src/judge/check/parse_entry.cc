#include "check/parse_entry.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/nearest.h"
#include "strata/compare/limits.h"

namespace strata::budget {

namespace {

std::optional<double> plain_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) ||
      number < 0)
    return std::nullopt;
  return number;
}

Result<const compare::MeasureFacts*> measure_of(std::string_view key) {
  if (const compare::MeasureFacts* facts = compare::find_measure(key)) return facts;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < compare::kMeasures; ++i)
    names.emplace_back(compare::facts_of(static_cast<compare::Measure>(i)).name);
  return failure(fmt::format("there is no measure {}{}; measures are: {}, unknown; and of language "
                             "models {}",
                             in_quotes(key), did_you_mean(key, names), compare::measure_names(),
                             kLanguageModelMeasures),
                 ErrorKind::Usage);
}

}  // namespace

Result<Budget> parse_entry(std::string_view key, std::string_view amount) {
  Budget budget{.text = fmt::format("{} = {}", key, amount)};
  if (key == "unknown") {
    const auto number = plain_number(amount);
    if (!number || *number != std::floor(*number))
      return failure(fmt::format("{} is not a number of layers", in_quotes(amount)),
                     ErrorKind::Usage);
    budget.kind = BudgetKind::Unknown;
    budget.limit = *number;
    return budget;
  }
  if (amount.starts_with('+')) return parse_growth(key, amount);
  const auto facts = measure_of(key);
  if (!facts) return failure(facts);
  const auto limit = compare::parse_amount(amount, (*facts)->measure);
  if (!limit) return failure_in(key, limit);
  budget.measure = (*facts)->measure;
  budget.limit = *limit;
  return budget;
}

Result<Budget> parse_growth(std::string_view key, std::string_view amount) {
  const auto facts = measure_of(key);
  if (!facts) return failure(facts);
  Budget budget{.kind = BudgetKind::Growth,
                .text = fmt::format("growth of {} {}", key, amount),
                .measure = (*facts)->measure};
  std::string_view rest = amount;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.ends_with('%')) {
    const auto percent = plain_number(rest.substr(0, rest.size() - 1));
    if (!percent)
      return failure(
          fmt::format("{}: {} is not a growth: write +1%, or +3M", key, in_quotes(amount)),
          ErrorKind::Usage);
    budget.relative = true;
    budget.limit = *percent / 100;
    return budget;
  }
  const auto limit = compare::parse_amount(rest, (*facts)->measure);
  if (!limit) return failure_in(key, limit);
  budget.limit = *limit;
  return budget;
}

Budget ban_of(std::string_view pattern) {
  return {.kind = BudgetKind::Operator,
          .text = fmt::format("no {}", pattern),
          .pattern = std::string(pattern)};
}

}  // namespace strata::budget
