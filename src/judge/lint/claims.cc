#include "strata/lint/claims.h"

namespace strata::lint {

std::optional<std::size_t> ClaimTable::find(Meaning meaning, Statistic statistic) const {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].meaning == meaning && columns[c].statistic == statistic) return c;
  return std::nullopt;
}

std::optional<std::size_t> ClaimTable::find_typical(Meaning meaning) const {
  for (Statistic statistic : {Statistic::Value, Statistic::Mean, Statistic::Median, Statistic::Sum})
    if (const auto column = find(meaning, statistic)) return column;
  return std::nullopt;
}

std::optional<ClaimNumber> ClaimTable::at(const ClaimRow& row,
                                          std::optional<std::size_t> column) const {
  if (!column || *column >= row.numbers.size()) return std::nullopt;
  return row.numbers[*column];
}

std::vector<std::vector<std::size_t>> ClaimTable::children() const {
  std::vector<std::vector<std::size_t>> out(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r].parent) out[*rows[r].parent].push_back(r);
  return out;
}

}  // namespace strata::lint
