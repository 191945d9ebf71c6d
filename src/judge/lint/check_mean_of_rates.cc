// The mean of 1/t is above 1 over the mean of t, the more so the more t varies.
#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/rate_and_time.h"

namespace strata::lint {

namespace {

constexpr double kLeast = 0.002;

}  // namespace

void check_mean_of_rates(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    const auto columns = rate_and_time(table, Statistic::Mean);
    const auto medians = rate_and_time(table, Statistic::Median);
    if (!columns) continue;
    Finding finding{.check = "mean_of_rates", .table = table.title};
    double worst = 0;
    for (const ClaimRow& row : table.rows) {
      const auto product = frames_at_once(table, row, *columns);
      if (!product) continue;
      const auto median = medians ? frames_at_once(table, row, *medians) : std::nullopt;
      const double batch = batch_of(table, row, median ? median->frames : product->frames);
      const double above = product->frames / batch - 1;
      if (above <= kLeast + product->rounding) continue;
      finding.rows.push_back(row.name);
      if (above <= worst) continue;
      worst = above;
      finding.row = row.name;
      finding.evidence = fmt::format(
          "\"{}\" is {:.6g}, {:.1f} % above {:.6g}, which is the batch of {:.6g} over "
          "the mean time",
          table.columns[columns->rate].title, table.at(row, columns->rate)->value, 100 * above,
          table.at(row, columns->rate)->value / (1 + above), batch);
    }
    if (finding.rows.empty()) continue;
    finding.meaning =
        "it is a mean of rates, in which short runs weigh more; throughput is total work over "
        "total time";
    findings.push_back(std::move(finding));
  }
}

}  // namespace strata::lint
