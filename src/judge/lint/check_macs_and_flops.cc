// A multiply-add is two operations, so there are never fewer operations than multiply-adds.
#include <cmath>

#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

std::string count_text(double count) {
  return std::abs(count) < 1e15 ? grouped(std::llround(count)) : fmt::format("{:.6g}", count);
}

}  // namespace

void check_macs_and_flops(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    const auto macs = table.find_typical(Meaning::Macs), flops = table.find_typical(Meaning::Flops);
    if (!macs || !flops) continue;
    Finding finding{.check = "macs_and_flops", .table = table.title};
    double largest = 0;
    std::size_t doubled = 0;
    for (const ClaimRow& row : table.rows) {
      const auto adds = table.at(row, macs), operations = table.at(row, flops);
      if (!adds || !operations || adds->low() <= operations->high()) continue;
      finding.rows.push_back(row.name);
      const double ratio = adds->value / operations->value;
      if (ratio > 1.8 && ratio < 2.2) ++doubled;
      if (adds->value <= largest) continue;
      largest = adds->value;
      finding.row = row.name;
      finding.evidence =
          fmt::format("\"{}\" is {} and \"{}\" {}, {:.2f} times less", table.columns[*macs].title,
                      count_text(adds->value), table.columns[*flops].title,
                      count_text(operations->value), ratio);
    }
    if (finding.rows.empty()) continue;
    finding.meaning = 2 * doubled >= finding.rows.size()
                          ? "the two names are swapped: a multiply-add is two operations"
                          : "one of the two is counted wrongly";
    findings.push_back(std::move(finding));
  }
}

}  // namespace strata::lint
