// The reports that OpenVINO's benchmark_app writes, as its documentation and its sources describe
// them: average_counters_report.csv, a row for each layer, and report.csv, lines of a name and a
// value. Cells end with a semicolon.
#include "lint/delimited.h"
#include "lint/grid.h"
#include "lint/number.h"
#include "lint/readers.h"

namespace strata::lint {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kCounters = "layerName;execStatus;";

// Layers that were not run have the time 0, which says nothing.
Result<Claims> read_counters(Rows rows) {
  Grid grid;
  grid.headings = std::move(rows.front());
  while (!grid.headings.empty() && trimmed(grid.headings.back()).empty()) grid.headings.pop_back();
  for (std::size_t r = 1; r < rows.size(); ++r)
    if (rows[r].size() < 2 || rows[r][1] != "NOT_RUN") grid.rows.push_back(std::move(rows[r]));
  auto table = claims_of_grid(grid);
  if (!table) return failure(table);
  for (ClaimRow& row : table->rows)
    if (!row.labels.empty()) row.name = row.labels.front();
  Claims claims;
  claims.tables.push_back(std::move(*table));
  return claims;
}

struct ResultLine {
  std::string_view name;
  Meaning meaning;
  Statistic statistic;
  double factor;
};

}  // namespace

bool looks_like_openvino(std::string_view text) {
  return text.starts_with(kCounters) || text.starts_with("Command line parameters");
}

Result<Claims> read_openvino(std::string_view text) {
  Rows rows = delimited_rows(text, ';');
  if (rows.empty()) return failure("there is no table in it");
  if (text.starts_with(kCounters)) return read_counters(std::move(rows));
  constexpr ResultLine kResults[] = {
      {"throughput", Meaning::FramesPerSecond, Statistic::Value, 1},
      {"total execution time (ms)", Meaning::Seconds, Statistic::Sum, 1e-3},
      {"total number of iterations", Meaning::Samples, Statistic::Value, 1},
  };
  ClaimTable table;
  ClaimRow run{.name = "execution results"};
  for (const ResultLine& result : kResults) {
    table.columns.push_back({.title = std::string(result.name),
                             .meaning = result.meaning,
                             .statistic = result.statistic});
    run.numbers.emplace_back();
    for (const auto& row : rows) {
      if (row.size() < 2 || row[0] != result.name) continue;
      if (auto number = parse_number(row[1])) {
        number->value *= result.factor;
        number->rounding *= result.factor;
        run.numbers.back() = number;
      }
    }
  }
  // Requests run beside each other: an inference every so often, and not its latency, is what the
  // throughput is the inverse of.
  const auto total = run.numbers[1], count = run.numbers[2];
  if (!run.numbers[0] || !total || !count || count->value <= 0)
    return failure("it has no throughput, total execution time and number of iterations");
  table.columns.push_back({.title = "total execution time over iterations",
                           .meaning = Meaning::Seconds,
                           .statistic = Statistic::Value});
  run.numbers.push_back(ClaimNumber{total->value / count->value, total->rounding / count->value});
  table.rows.push_back(std::move(run));
  Claims claims;
  claims.tables.push_back(std::move(table));
  return claims;
}

}  // namespace strata::lint
