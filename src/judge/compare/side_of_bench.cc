// A saved benchmark as a side: a row for each variant that ran.
#include <fmt/format.h>

#include "strata/compare/side.h"

namespace strata::compare {

namespace {

std::string name_of(const BenchGroup& group, const VariantResult& result) {
  std::string name = group.model;
  if (!group.shape.empty()) name += " " + group.shape;
  return fmt::format("{} {}", name, result.variant.label());
}

}  // namespace

Side side_of(const BenchRun& run, std::string label) {
  Side side{.label = std::move(label),
            .kind = "bench",
            .rows_are = "variants",
            .in_running_order = false,
            .machine = run.machine};
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants) {
      SideRow& row = side.rows.emplace_back();
      row.name = name_of(group, result);
      row.type = result.variant.engine;
      if (result.failure != Failure::None || result.all_seconds().empty()) continue;
      const Summary summary = result.summary();
      at(row.figures, Measure::Latency) = real_figure(summary.median, summary.interval);
    }
  // The time of one of several ways to run a model is not a total.
  if (side.rows.size() == 1) side.totals = side.rows.front().figures;
  return side;
}

}  // namespace strata::compare
