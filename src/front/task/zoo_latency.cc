#include "task/zoo_latency.h"

#include <algorithm>

#include <fmt/format.h>

namespace strata {

std::vector<Column> latency_columns() {
  return {{"latency", "Latency", Unit::Seconds, false, 0},
          {"latency_low", "Low", Unit::Seconds, false, 1},
          {"latency_high", "High", Unit::Seconds, false, 1},
          {"flops_per_s", "FLOPS", Unit::FlopsPerSecond, false, 0}};
}

void add_latency_cells(const Timing& timing, std::string_view network, ProfileRow& row,
                       std::vector<std::string>& notes) {
  const double seconds = summarize(timing.runs).median;
  const SessionCenter& center = timing.center;
  Cell latency, low, high, rate;
  latency.value = seconds;
  if (center.interval) {
    low.value = std::min(center.interval->low, seconds);
    high.value = std::max(center.interval->high, seconds);
  }
  if (!center.withheld.empty())
    notes.push_back(fmt::format("{}: no interval: {}", network, center.withheld));
  const Cell& work = row.cells[2];  // model, params, flops
  if (const auto* flops = std::get_if<Expr>(&work.value); flops != nullptr && flops->is_number())
    rate.value = static_cast<double>(flops->value()) / seconds;
  else if (const auto* counted = std::get_if<double>(&work.value))
    rate.value = *counted / seconds;
  for (Cell* cell : {&latency, &low, &high, &rate}) row.cells.push_back(std::move(*cell));
}

}  // namespace strata
