#include <cmath>

#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

constexpr double kTolerance = 1e-9;  // of additions

struct Sum {
  double value = 0, rounding = 0;
  bool known = true;
  void add(const std::optional<ClaimNumber>& number) {
    known = known && number.has_value();
    if (!number) return;
    value += number->value;
    rounding += number->rounding;
  }
};

std::string number_text(const ClaimColumn& column, double value) {
  if (column.meaning == Meaning::Seconds) return human_seconds(value);
  if (column.meaning == Meaning::SecondsShare) return fmt::format("{:.2f} %", value);
  if (std::abs(value) < 1e15) return grouped(std::llround(value));
  return fmt::format("{:.6g}", value);
}

bool differs(const ClaimNumber& stated, const Sum& sum) {
  return std::abs(stated.value - sum.value) > stated.rounding + sum.rounding +
                                                  kTolerance * std::abs(sum.value) +
                                                  kTolerance * std::abs(stated.value);
}

void check_totals(const ClaimTable& table, const ClaimRow& total, std::vector<Finding>& findings) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto stated = table.at(total, c);
    if (!stated || !table.columns[c].adds_up || table.rows.empty()) continue;
    Sum sum;
    for (const ClaimRow& row : table.rows)
      if (!row.parent) sum.add(table.at(row, c));
    if (!sum.known || !differs(*stated, sum)) continue;
    const ClaimColumn& column = table.columns[c];
    const auto last = table.at(table.rows.back(), c);
    const bool is_last = last && last->value == stated->value;
    findings.push_back(
        {.check = "total",
         .table = table.title,
         .row = total.name.empty() ? "total" : total.name,
         .rows = {total.name.empty() ? "total" : total.name},
         .evidence = fmt::format("\"{}\" is {}, and the sum of the {} rows {}", column.title,
                                 number_text(column, stated->value), table.rows.size(),
                                 number_text(column, sum.value)),
         .meaning = is_last
                        ? fmt::format("it is the value of the last row, {}, in place of the sum",
                                      table.rows.back().name)
                        : "rows are missing or counted twice, or the total is of something "
                          "else"});
  }
}

// Rows that state the sum of those below them.
void check_groups(const ClaimTable& table, std::vector<Finding>& findings) {
  const auto children = table.children();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!table.rows[r].is_sum) continue;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto stated = table.at(table.rows[r], c);
      Sum sum;
      for (std::size_t child : children[r]) sum.add(table.at(table.rows[child], c));
      if (!stated || !sum.known || !differs(*stated, sum)) continue;
      findings.push_back({.check = "total",
                          .table = table.title,
                          .row = table.rows[r].name,
                          .rows = {table.rows[r].name},
                          .evidence = fmt::format(
                              "\"{}\" is {}, and the sum of its {} parts {}",
                              table.columns[c].title, number_text(table.columns[c], stated->value),
                              children[r].size(), number_text(table.columns[c], sum.value)),
                          .meaning = "parts are missing or counted twice"});
    }
  }
}

}  // namespace

void check_total(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    for (const ClaimRow& total : table.totals) check_totals(table, total, findings);
    check_groups(table, findings);
  }
}

}  // namespace strata::lint
