#include "strata/compare/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata::compare {

Side side_of(const Weights& weights, std::string label) {
  // Their order in a file means nothing.
  Side side{.label = std::move(label),
            .kind = "weights",
            .rows_are = "tensors",
            .in_running_order = false};
  side.rows.reserve(weights.tensors.size());
  for (const StoredWeight& weight : weights.tensors) {
    SideRow& row = side.rows.emplace_back();
    row.name = weight.name;
    row.type = weight.type;
    row.output = fmt::format("{}", fmt::join(weight.dims, "×"));
    WeightTotals own;
    own.add(weight);
    at(row.figures, Measure::Params) = count_figure(static_cast<std::int64_t>(own.params));
    at(row.figures, Measure::ParamBytes) = count_figure(static_cast<std::int64_t>(own.bytes));
  }
  const WeightTotals totals = totals_of(weights);
  at(side.totals, Measure::Params) = count_figure(static_cast<std::int64_t>(totals.params));
  at(side.totals, Measure::ParamBytes) = count_figure(static_cast<std::int64_t>(totals.bytes));
  return side;
}

}  // namespace strata::compare
