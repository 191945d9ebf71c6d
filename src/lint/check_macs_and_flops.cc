// A multiply-add is two operations, so there are never fewer operations than multiply-adds.
#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

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
      finding.evidence = fmt::format("\"{}\" is {:.0f} and \"{}\" {:.0f}, {:.2f} times less",
                                     table.columns[*macs].title, adds->value,
                                     table.columns[*flops].title, operations->value, ratio);
    }
    if (finding.rows.empty()) continue;
    finding.meaning = 2 * doubled >= finding.rows.size()
                          ? "the two names are swapped: a multiply-add is two operations"
                          : "one of the two is counted wrongly";
    findings.push_back(std::move(finding));
  }
}

}  // namespace strata::lint
