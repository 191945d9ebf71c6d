#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/glob.h"
#include "base/in_quotes.h"
#include "document/cell_text.h"
#include "strata/base/number_text.h"
#include "strata/check/check.h"

namespace strata::budget {

namespace {

using compare::Figure;
using compare::Measure;
using compare::Side;
using compare::SideRow;

constexpr double kRounding = 1e-12;  // of shares such as 0.01, which no double is

std::string amount_text(double amount, Unit unit) {
  const bool whole = unit != Unit::Seconds && amount == std::floor(amount) && amount < 1e18;
  return cell_text(whole ? Cell(static_cast<std::int64_t>(amount)) : Cell(amount), unit, false);
}

std::string figure_text(const Figure& figure, Unit unit) {
  return cell_text(compare::cell_of(figure), unit, false);
}

struct ByteUnit {
  std::string_view name;
  double bytes;
};
constexpr ByteUnit kByteUnits[] = {
    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776}, {"kB", 1e3},
    {"KB", 1e3},   {"MB", 1e6},      {"GB", 1e9},         {"TB", 1e12},           {"B", 1}};

// The unit that a budget of bytes was written in; nullptr: none, or no bytes.
const ByteUnit* asked_unit(const Budget& budget) {
  if (compare::facts_of(budget.measure).unit != Unit::Bytes || budget.relative) return nullptr;
  for (const ByteUnit& unit : kByteUnits)
    if (budget.text.ends_with(unit.name)) return &unit;
  return nullptr;
}

// Numbers as the budget has them; others, and formulas, in the unit that fits best.
std::string amount_text(const Budget& budget, double amount) {
  const ByteUnit* unit = asked_unit(budget);
  if (unit != nullptr && unit->bytes > 1) {
    constexpr double kLong = 1e4;  // from here on, four digits are not a whole number
    const double number = amount / unit->bytes;
    if (number < kLong) return fmt::format("{:.4g} {}", number, unit->name);
    return fmt::format("{} {}", grouped(std::llround(number)), unit->name);
  }
  return amount_text(amount, compare::facts_of(budget.measure).unit);
}

std::string figure_text(const Budget& budget, const Figure& figure) {
  const auto number = figure.number();
  if (number && figure.is_exact() && asked_unit(budget) != nullptr)
    return amount_text(budget, *number);
  return figure_text(figure, compare::facts_of(budget.measure).unit);
}

// `features` is the layer itself and those below it; with * or ? it is a pattern.
bool is_in(std::string_view scope, std::string_view layer) {
  if (scope.find_first_of("*?") != scope.npos) return matches_glob(scope, layer);
  return layer.starts_with(scope) &&
         (layer.size() == scope.size() || layer[scope.size()] == '.' || layer[scope.size()] == '/');
}

struct Found {
  Figure figure;
  std::size_t layers = 0;
};

// Rows of a tree hold each other, so only the topmost that match are added up.
Found sum_in(const Side& side, const Budget& budget) {
  Found out;
  std::string_view last;
  for (const SideRow& row : side.rows) {
    if (!is_in(budget.scope, row.name)) continue;
    if (side.rows_are == "tree" && !last.empty() && is_in(last, row.name)) continue;
    last = row.name;
    const Figure& own = compare::at(row.figures, budget.measure);
    out.figure = out.layers == 0 ? own : compare::sum_of(out.figure, own);
    ++out.layers;
  }
  return out;
}

Judged unknown(const Budget& budget, std::string reason) {
  Judged out{.budget = budget};
  out.verdict = Verdict::Unknown;
  out.reason = std::move(reason);
  return out;
}

// Over if it is certainly more; a time within its interval of the limit is judged by its median.
Judged judge_amount(const Budget& budget, const Figure& found, double allowed) {
  Judged out{.budget = budget};
  out.found = found;
  out.allowed = allowed;
  const std::string text = figure_text(budget, found), limit = amount_text(budget, allowed);
  const auto number = found.number();
  if (!found.is_known())
    return unknown(budget,
                   budget.measure == Measure::Latency ? "it was not measured" : "it is unknown");
  if (!number) {
    const auto most = upper_bound(found.count);
    const bool within = found.is_exact() && most && static_cast<double>(*most) <= allowed;
    out.verdict = within ? Verdict::Within : Verdict::Unknown;
    out.reason = fmt::format("{}, and {} are allowed: sizes are open", text, limit);
    if (!within && allowed < 1e18 &&
        provably_at_least(found.count, static_cast<std::int64_t>(std::floor(allowed)) + 1))
      out.verdict = Verdict::Over;
    return out;
  }
  const bool over = *number > allowed * (1 + kRounding);
  if (over)
    out.verdict = Verdict::Over;
  else if (!found.is_exact())
    out.verdict = Verdict::Unknown;
  out.reason = fmt::format("{} of {}", text, limit);
  if (over && allowed > 0)
    out.reason += fmt::format(", {:.1f} % over", 100 * (*number / allowed - 1));
  if (out.verdict == Verdict::Unknown) out.reason += ": a part of it is unknown";
  if (found.interval && (found.interval->high > allowed) != (found.interval->low > allowed))
    out.reason += "; its interval has the limit in it, so it is judged by the median";
  return out;
}

bool has_no_parts(const Budget& budget) {
  return !budget.scope.empty() && !compare::facts_of(budget.measure).of_rows;
}

Judged judge_no_parts(const Budget& budget) {
  return unknown(
      budget, fmt::format("a part of a network has no {}", compare::facts_of(budget.measure).name));
}

// How the peak reads quantized tensors, if there are any.
std::string reading_of(const Side& side) {
  for (const auto& [name, value] : side.settings)
    if (name == "quantized tensors") return fmt::format(", {} {}", name, value);
  return "";
}

// Finds the figure of the whole model, or of the layers in the scope.
Found found_in(const Side& side, const Budget& budget) {
  if (!budget.scope.empty()) return sum_in(side, budget);
  return {compare::at(side.totals, budget.measure), side.rows.size()};
}

Judged judge_most(const Budget& budget, const Side& side) {
  if (has_no_parts(budget)) return judge_no_parts(budget);
  const Found found = found_in(side, budget);
  if (!budget.scope.empty() && found.layers == 0)
    return unknown(budget, fmt::format("no layer matches {}", in_quotes(budget.scope)));
  // A time without an interval comes from too few runs to claim anything (kRunsForClaim).
  if (budget.measure == Measure::Latency && found.figure.is_known() && !found.figure.interval &&
      !compare::at(side.totals, Measure::Latency).interval) {
    Judged out = unknown(
        budget, fmt::format("{} of {}: too few runs were measured for an interval",
                            figure_text(found.figure, compare::facts_of(budget.measure).unit),
                            amount_text(budget.limit, compare::facts_of(budget.measure).unit)));
    out.found = found.figure;
    out.allowed = budget.limit;
    return out;
  }
  Judged out = judge_amount(budget, found.figure, budget.limit);
  if (budget.measure == Measure::Peak) out.reason += reading_of(side);
  return out;
}

// A part that only one of the two has: what is new has grown from nothing that is known, and what
// is gone has not grown.
std::optional<Judged> judge_lone_part(const Budget& budget, const Found& before,
                                      const Found& after) {
  if (budget.scope.empty() || (before.layers > 0 && after.layers > 0)) return std::nullopt;
  const std::string scope = in_quotes(budget.scope);
  if (after.layers > 0)
    return unknown(budget, fmt::format("no layer of the baseline matches {}", scope));
  if (before.layers == 0) return unknown(budget, fmt::format("no layer matches {}", scope));
  Judged out{.budget = budget};
  out.reason = fmt::format("no layer matches any more; the baseline has {}",
                           figure_text(before.figure, compare::facts_of(budget.measure).unit));
  return out;
}

Judged judge_growth(const Budget& budget, const Side& side, const Side* baseline) {
  if (baseline == nullptr) return unknown(budget, "there is no baseline");
  if (has_no_parts(budget)) return judge_no_parts(budget);
  const Found found_before = found_in(*baseline, budget), found_after = found_in(side, budget);
  if (auto lone = judge_lone_part(budget, found_before, found_after)) return std::move(*lone);
  const Figure &before = found_before.figure, &after = found_after.figure;
  const auto start = before.number();
  if (before.is_exact() && after.is_exact() && !before.real && before.count == after.count) {
    Judged out{.budget = budget};
    out.found = after;
    out.reason = "it has not changed";
    return out;
  }
  if (!before.is_exact() || !start) return unknown(budget, "the baseline states no number for it");
  Judged out = judge_amount(budget, after,
                            budget.relative ? *start * (1 + budget.limit) : *start + budget.limit);
  out.reason += fmt::format("; the baseline has {}",
                            figure_text(before, compare::facts_of(budget.measure).unit));
  return out;
}

Judged judge_operator(const Budget& budget, const Side& side) {
  Judged out{.budget = budget};
  const bool known = side.operators.has_value();
  if (known)
    for (const std::string& name : *side.operators)
      if (matches_glob(budget.pattern, name)) out.layers.push_back(name);
  if (!known)
    for (const SideRow& row : side.rows)
      if (matches_glob(budget.pattern, row.type)) out.layers.push_back(row.name);
  if (!out.layers.empty()) {
    out.verdict = Verdict::Over;
    out.reason = known ? fmt::format("it has {}", in_quotes(out.layers.front()))
                       : fmt::format("{} is one", in_quotes(out.layers.front()));
    if (out.layers.size() > 1) out.reason += fmt::format(" and {} more", out.layers.size() - 1);
  } else if (!known && side.rows_are != "node") {
    out.verdict = Verdict::Unknown;
    out.reason = "rows of this document are layers, whose operators it does not tell";
  } else {
    out.reason = "there is none";
  }
  return out;
}

Judged judge_unknown(const Budget& budget, const Side& side) {
  Judged out{.budget = budget};
  for (const SideRow& row : side.rows) {
    if (!budget.scope.empty() && !is_in(budget.scope, row.name)) continue;
    const bool exact = compare::at(row.figures, Measure::Macs).is_exact() &&
                       compare::at(row.figures, Measure::Flops).is_exact();
    if (!exact) out.layers.push_back(row.name);
  }
  out.found = compare::count_figure(static_cast<std::int64_t>(out.layers.size()));
  out.allowed = budget.limit;
  const bool over = static_cast<double>(out.layers.size()) > budget.limit;
  if (over) out.verdict = Verdict::Over;
  out.reason = fmt::format("{} layer{} with costs that cannot be counted", out.layers.size(),
                           out.layers.size() == 1 ? "" : "s");
  if (!out.layers.empty()) out.reason += fmt::format(", first {}", in_quotes(out.layers.front()));
  return out;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Within:
      return "within";
    case Verdict::Over:
      return "over";
    case Verdict::Unknown:
      break;
  }
  return "unknown";
}

bool Outcome::is_kept() const {
  return std::all_of(judged.begin(), judged.end(), [](const Judged& one) { return one.is_kept(); });
}

Outcome judge(const Budgets& budgets, const Side& side, const Side* baseline) {
  Outcome out{.model = side.label, .file = budgets.file};
  for (const Budget& budget : budgets.list) {
    switch (budget.kind) {
      case BudgetKind::Most:
        out.judged.push_back(judge_most(budget, side));
        break;
      case BudgetKind::Growth:
        out.judged.push_back(judge_growth(budget, side, baseline));
        break;
      case BudgetKind::Operator:
        out.judged.push_back(judge_operator(budget, side));
        break;
      case BudgetKind::Unknown:
        out.judged.push_back(judge_unknown(budget, side));
        break;
    }
  }
  return out;
}

}  // namespace strata::budget
