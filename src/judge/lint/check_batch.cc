#include <cmath>

#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/rate_and_time.h"

namespace strata::lint {

namespace {

constexpr double kTolerance = 0.02;

}  // namespace

void check_batch(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables)
    for (const RateAndTime& columns : rates_and_times(table)) {
      const bool means = table.columns[columns.time].statistic == Statistic::Mean;
      Finding finding{.check = "batch", .table = table.title};
      double worst = 0;
      for (const ClaimRow& row : table.rows) {
        const auto product = frames_at_once(table, row, columns);
        if (!product) continue;
        const double batch = batch_of(table, row, product->frames);
        const double off = product->frames / batch - 1;
        // A mean of rates is above work over time; check_mean_of_rates names it.
        if (std::abs(off) <= kTolerance + product->rounding || (means && off > 0)) continue;
        finding.rows.push_back(row.name);
        if (std::abs(off) <= worst) continue;
        worst = std::abs(off);
        finding.row = row.name;
        finding.evidence =
            fmt::format("\"{}\" times \"{}\" is {:.4g} frames at a time, and not {:.6g}",
                        table.columns[columns.rate].title, table.columns[columns.time].title,
                        product->frames, batch);
      }
      if (finding.rows.empty()) continue;
      finding.meaning = "the rate and the time come from different runs or batches";
      findings.push_back(std::move(finding));
    }
}

}  // namespace strata::lint
