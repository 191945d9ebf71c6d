#include <fmt/format.h>

#include "base/visible.h"
#include "strata/check/check.h"

namespace strata::budget {

namespace {

std::string budgets(std::size_t n) { return n == 1 ? "budget" : fmt::format("{} budgets", n); }

std::string verdict_lines(const Outcome& outcome) {
  std::size_t over = 0, unknown = 0;
  for (const Judged& one : outcome.judged) {
    if (one.is_kept()) continue;
    ++(one.verdict == Verdict::Over ? over : unknown);
  }
  const std::string model = visible(outcome.model);
  if (over + unknown == 0)
    return fmt::format("{} keeps its {}.\n", model, budgets(outcome.judged.size()));
  const std::string all = fmt::format("{} budgets", outcome.judged.size());
  std::string out = over > 0 ? fmt::format("{} exceeds {} of {}", model, over, all)
                             : fmt::format("{}: {} of {}", model, unknown, all);
  if (over > 0 && unknown > 0) out += fmt::format("; {}", unknown);
  if (unknown > 0) out += " could not be checked";
  for (const Judged& one : outcome.judged)
    if (!one.is_kept() && one.verdict == Verdict::Unknown)
      return out + fmt::format(" ({}: {}).\n", visible(one.budget.text), visible(one.reason));
  return out + ".\n";
}

std::string_view unit_of(const Judged& one) {
  if (one.budget.kind == BudgetKind::Most || one.budget.kind == BudgetKind::Growth)
    return strata::name_of(compare::facts_of(one.budget.measure).unit);
  return strata::name_of(Unit::Count);
}

const char* shown_verdict(const Judged& one) {
  if (one.verdict == Verdict::Within) return "within";
  if (one.verdict == Verdict::Over) return "OVER";
  return one.is_kept() ? "not known, allowed" : "NOT KNOWN";
}

Table budgets_table(const Outcome& outcome) {
  Table table{
      .name = "budgets",
      .columns = {
          {.name = "budget", .title = "Budget"},
          {.name = "scope", .title = "Scope"},
          {.name = "verdict", .title = "Verdict"},
          {.name = "kept", .title = "Kept", .type = ColumnType::Truth},
          {.name = "unit", .title = "Unit"},
          {.name = "found", .title = "Found", .unit = Unit::Number, .type = ColumnType::Estimate},
          {.name = "allowed", .title = "Allowed", .unit = Unit::Number},
          {.name = "layers", .title = "Layers", .type = ColumnType::List},
          {.name = "line", .title = "Line", .unit = Unit::Count},
          {.name = "reason", .title = "Reason"}}};
  // Every budget has its verdict beside it, also where all are the same.
  table.shown_columns = {{.name = "budget", .title = "Budget"},
                         {.name = "verdict", .title = "Verdict", .asked = true},
                         {.name = "reason", .title = "Found", .asked = true}};
  for (const Judged& one : outcome.judged) {
    TableRow& row = table.rows.emplace_back();
    row.cells = {one.budget.text,
                 one.budget.scope,
                 name_of(one.verdict),
                 one.is_kept(),
                 unit_of(one),
                 compare::cell_of(one.found),
                 one.allowed,
                 list_cell(one.layers),
                 one.budget.line > 0 ? Cell(one.budget.line) : Cell(),
                 one.reason};
    row.shown = {one.budget.text, shown_verdict(one), one.reason};
  }
  return table;
}

}  // namespace

Document check_document(const Outcome& outcome) {
  Document document = new_document("check");
  document.facts = {{"model", FilePath{outcome.model}},
                    {"file", outcome.file.empty() ? Cell() : Cell(FilePath{outcome.file})},
                    {"kept", outcome.is_kept()},
                    {"budgets", outcome.judged.size()}};
  document.tables = {budgets_table(outcome)};
  document.sections = {answer_section(verdict_lines(outcome)), {.table = "budgets"}};
  return document;
}

}  // namespace strata::budget
