// Profilers that add up nested events count an allocation once for every event around it.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/shape.h"
#include "strata/base/number_text.h"

namespace strata::lint {

namespace {

constexpr double kFloat = 4;           // bytes
constexpr double kTolerance = 0.01;    // of the multiple
constexpr std::size_t kLeastRows = 3;  // with the same multiple

struct Multiple {
  std::size_t row;
  double ratio;
};

double output_bytes(const ClaimRow& row) {
  double elements = 0;
  for (const ClaimShape& shape : row.outputs) elements += elements_of(shape);
  return kFloat * elements;
}

void check_column(const ClaimTable& table, std::size_t column, std::vector<Finding>& findings) {
  std::map<int, std::vector<Multiple>> by_multiple;
  std::size_t known = 0, whole = 0;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const ClaimRow& row = table.rows[r];
    const auto taken = table.at(row, column);
    const double output = output_bytes(row);
    if (!taken || output <= 0 || taken->value < 0.5 * output || taken->value > 1000 * output)
      continue;
    ++known;
    const double ratio = taken->value / output, nearest = std::round(ratio);
    if (nearest < 2 || std::abs(ratio - nearest) > kTolerance * nearest) continue;
    ++whole;
    by_multiple[static_cast<int>(nearest)].push_back({r, ratio});
  }
  for (const auto& [multiple, rows] : by_multiple) {
    if (rows.size() < kLeastRows || 2 * whole < known) continue;
    Finding finding{.check = "allocation_multiple", .table = table.title};
    const Multiple* best = &rows.front();
    for (const Multiple& one : rows) {
      finding.rows.push_back(table.rows[one.row].name);
      if (std::abs(one.ratio - multiple) < std::abs(best->ratio - multiple)) best = &one;
    }
    const ClaimRow& row = table.rows[best->row];
    finding.row = row.name;
    finding.evidence = fmt::format(
        "\"{}\" has {} for an output of {}: {:.2f} times; {} layers have {} times theirs",
        table.columns[column].title, human_bytes(table.at(row, column)->value),
        human_bytes(output_bytes(row)), best->ratio, rows.size(), multiple);
    finding.meaning =
        fmt::format("the same allocation is counted for each of {} nested events", multiple);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_allocation(const Claims& claims, std::vector<Finding>& findings) {
  for (const ClaimTable& table : claims.tables)
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].meaning == Meaning::AllocatedBytes) check_column(table, c, findings);
}

}  // namespace strata::lint
