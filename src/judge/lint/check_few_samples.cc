#include <cmath>

#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/statistics.h"

namespace strata::lint {

namespace {

// nullopt: nobody says.
std::optional<double> samples_of(const Claims& claims, const ClaimTable& table,
                                 const ClaimRow& row) {
  if (const auto stated = table.at(row, table.find_typical(Meaning::Samples))) return stated->value;
  if (!row.samples.empty()) return static_cast<double>(row.samples.size());
  if (claims.samples) return static_cast<double>(*claims.samples);
  return std::nullopt;
}

}  // namespace

void check_few_samples(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const ClaimColumn& column = table.columns[c];
      if (column.statistic != Statistic::Percentile) continue;
      const double needed = static_cast<double>(samples_needed(column.quantile));
      Finding finding{.check = "few_samples", .table = table.title};
      std::optional<double> fewest;
      bool unsaid = false;
      for (const ClaimRow& row : table.rows) {
        if (!table.at(row, c)) continue;
        const auto n = samples_of(claims, table, row);
        if (n && *n >= needed) continue;
        unsaid = unsaid || !n;
        finding.rows.push_back(row.name);
        if (n && (!fewest || *n < *fewest)) {
          fewest = n;
          finding.row = row.name;
        }
      }
      if (finding.rows.empty()) continue;
      const std::string percent = fmt::format("{:.6g}", 100 * column.quantile);
      if (unsaid) finding.row.clear();
      finding.evidence =
          unsaid ? fmt::format("\"{}\" is a p{} of an unknown number of samples; it needs {}",
                               column.title, percent, needed)
                 : fmt::format("\"{}\" is a p{} of {} samples; it needs {}", column.title, percent,
                               *fewest, needed);
      finding.meaning =
          "a few of the slowest runs decide it, so another measurement gives another value";
      findings.push_back(std::move(finding));
    }
}

}  // namespace strata::lint
