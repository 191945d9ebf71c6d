#include <map>

#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/rate_and_time.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};

// `s` for `ms` and 1000.
std::string unit_times(std::string_view stated, double scale) {
  int at = -1;
  for (int i = 0; i < 4; ++i)
    if (kUnits[i] == stated) at = i;
  for (; at >= 0 && scale > 1; scale /= 1000) ++at;
  for (; at >= 0 && scale < 1; scale *= 1000) --at;
  if (at < 0 || at > 3) return {};
  return std::string(kUnits[at]);
}

}  // namespace

// A heading is wrong for all rows, so it is called wrong only if all of them agree.
void check_time_unit(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables)
    for (const RateAndTime& columns : rates_and_times(table)) {
      Finding finding{.check = "time_unit", .table = table.title};
      double scale = 0;
      bool agree = true;
      for (const ClaimRow& row : table.rows) {
        const auto product = frames_at_once(table, row, columns);
        if (!product) continue;
        agree = agree && product->scale != 1 && (scale == 0 || scale == product->scale);
        scale = product->scale;
        finding.rows.push_back(row.name);
        if (finding.rows.size() > 1) continue;
        finding.row = row.name;
        finding.evidence = fmt::format(
            "{:.6g} frames a second and {}, as \"{}\" says, would be {:.6g} frames at a time; with "
            "{:.6g} times that it is {:.4g}",
            table.at(row, columns.rate)->value, human_seconds(table.at(row, columns.time)->value),
            table.columns[columns.time].title, product->frames / product->scale, product->scale,
            product->frames);
      }
      if (!agree || scale == 0) continue;
      const std::string& stated = table.columns[columns.time].unit;
      const std::string held = unit_times(stated, scale);
      finding.meaning = held.empty() ? fmt::format("the times are off by {:.6g}", scale)
                                     : fmt::format("the columns in {} hold {}", stated,
                                                   held == "s" ? "seconds" : held);
      findings.push_back(std::move(finding));
      break;
    }
}

}  // namespace strata::lint
