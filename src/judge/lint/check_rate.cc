#include <cmath>

#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

constexpr double kTolerance = 0.01;

double relative_rounding(const ClaimNumber& number) { return number.rounding / number.value; }

}  // namespace

void check_rate(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    const auto rates = table.find_typical(Meaning::FlopsPerSecond);
    const auto work = table.find_typical(Meaning::Flops);
    const auto times = table.find_typical(Meaning::Seconds);
    if (!rates || !work || !times) continue;
    Finding finding{.check = "rate", .table = table.title};
    double worst = 0;
    for (const ClaimRow& row : table.rows) {
      const auto rate = table.at(row, rates), flops = table.at(row, work),
                 seconds = table.at(row, times);
      if (!rate || !flops || !seconds || rate->value <= 0 || flops->value <= 0 ||
          seconds->value <= 0)
        continue;
      const double true_rate = flops->value / seconds->value;
      const double off = std::abs(std::log(rate->value / true_rate));
      if (off <= kTolerance + relative_rounding(*rate) + relative_rounding(*flops) +
                     relative_rounding(*seconds))
        continue;
      finding.rows.push_back(row.name);
      if (off <= worst) continue;
      worst = off;
      finding.row = row.name;
      finding.evidence = fmt::format(
          "\"{}\" is {}, and {} over {} are {}", table.columns[*rates].title, human(rate->value),
          human(flops->value), human_seconds(seconds->value), human(true_rate));
    }
    if (finding.rows.empty()) continue;
    finding.meaning = "the rate is of another time or of other work than the row states";
    findings.push_back(std::move(finding));
  }
}

}  // namespace strata::lint
