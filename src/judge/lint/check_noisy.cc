#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/statistics.h"

namespace strata::lint {

namespace {

constexpr std::size_t kMinSamples = 10;

std::optional<double> variation_of(const ClaimTable& table, const ClaimRow& row) {
  if (const auto stated = table.at(row, table.find_typical(Meaning::Variation)))
    return stated->value;
  const auto deviation = table.at(row, table.find(Meaning::Seconds, Statistic::Deviation));
  const auto mean = table.at(row, table.find(Meaning::Seconds, Statistic::Mean));
  if (deviation && mean && mean->value > 0) return deviation->value / mean->value;
  // Parts and functions that take a few microseconds vary by nature.
  if (table.own_work || row.parent || row.samples.size() < kMinSamples) return std::nullopt;
  return summarize(row.samples).cv;
}

}  // namespace

void check_noisy(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    Finding finding{.check = "noisy", .table = table.title};
    std::size_t known = 0;
    double worst = 0;
    for (const ClaimRow& row : table.rows) {
      const auto variation = variation_of(table, row);
      if (!variation) continue;
      ++known;
      if (*variation <= kNoisyCv) continue;
      finding.rows.push_back(row.name);
      if (*variation <= worst) continue;
      worst = *variation;
      finding.row = row.name;
    }
    if (finding.rows.empty()) continue;
    finding.evidence = fmt::format(
        "the standard deviation is {:.1f} % of the mean, and above {:.1f} % in {} of "
        "{} rows",
        100 * worst, 100 * kNoisyCv, finding.rows.size(), known);
    finding.meaning = "the machine was disturbed or not warmed up; small differences mean nothing";
    findings.push_back(std::move(finding));
  }
}

}  // namespace strata::lint
