#include <fmt/format.h>

#include "lint/checks.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

constexpr double kAbove = 0.01;      // of the whole; times of several runs differ
constexpr double kRemainder = 0.10;  // of the whole

}  // namespace

void check_nesting(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables) {
    const auto column = table.find_typical(Meaning::Seconds);
    const auto children = table.children();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const ClaimRow& row = table.rows[r];
      const auto whole = table.at(row, column);
      if (children[r].empty() || !whole || whole->value <= 0) continue;
      double parts = 0, rounding = whole->rounding;
      std::size_t timed = 0;
      for (std::size_t child : children[r])
        if (const auto part = table.at(table.rows[child], column)) {
          parts += part->value;
          rounding += part->rounding;
          ++timed;
        }
      if (timed == 0) continue;
      const double over = parts - whole->value;
      Finding finding{
          .check = "nesting", .table = table.title, .row = row.name, .rows = {row.name}};
      if (over > kAbove * whole->value + rounding) {
        finding.evidence =
            fmt::format("its {} parts take {} together, it takes {}: {:.1f} % less", timed,
                        human_seconds(parts), human_seconds(whole->value), 100 * over / parts);
        finding.meaning =
            "the parts and the whole come from different runs, or the parts include the cost "
            "of measuring them";
      } else if (!table.own_work && !row.parent && timed >= 2 && timed == children[r].size() &&
                 -over > kRemainder * whole->value + rounding) {
        finding.evidence = fmt::format("of its {}, {} parts explain {}: {} are left, {:.0f} %",
                                       human_seconds(whole->value), timed, human_seconds(parts),
                                       human_seconds(-over), -100 * over / whole->value);
        finding.meaning = "work that no row shows, or time between the parts";
      } else {
        continue;
      }
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace strata::lint
