#include <cmath>

#include "strata/compare/side.h"

namespace strata::compare {

std::optional<double> Figure::number() const {
  if (!is_known()) return std::nullopt;
  if (real) return real;
  return count.is_number() ? std::optional(static_cast<double>(count.value())) : std::nullopt;
}

Figure count_figure(const Expr& count, Certainty certainty) {
  Figure out;
  if (count.is_unknown()) return out;
  out.count = count;
  out.certainty = certainty;
  return out;
}

Figure real_figure(double value, const std::optional<Interval>& interval) {
  Figure out;
  if (std::isnan(value)) return out;
  out.real = value;
  out.interval = interval;
  out.certainty = Certainty::Exact;
  return out;
}

Figure figure_of(const Cell& cell) {
  if (cell.certainty == Certainty::Unknown) return {};
  if (const auto* count = std::get_if<Expr>(&cell.value))
    return count_figure(*count, cell.certainty);
  Figure out;
  if (const auto* estimate = std::get_if<Estimate>(&cell.value))
    out = real_figure(estimate->value, Interval{estimate->low, estimate->high});
  else if (const auto* real = std::get_if<double>(&cell.value))
    out = real_figure(*real);
  if (out.is_known()) out.certainty = cell.certainty;
  return out;
}

Cell cell_of(const Figure& figure) {
  if (!figure.is_known()) return {};
  if (!figure.real) return {figure.count, figure.certainty};
  if (!figure.interval) return {*figure.real, figure.certainty};
  return Estimate{*figure.real, figure.interval->low, figure.interval->high};
}

Figure sum_of(const Figure& a, const Figure& b) {
  if (!a.is_known() && !b.is_known()) return {};
  if (!a.is_known() || !b.is_known()) {
    Figure out = a.is_known() ? a : b;
    out.certainty = Certainty::LowerBound;
    out.interval.reset();
    return out;
  }
  const Certainty certainty = of_sum(a.certainty, b.certainty);
  if (!a.real && !b.real) return count_figure(a.count + b.count, certainty);
  const auto left = a.number(), right = b.number();
  if (!left || !right) return {};
  Figure out = real_figure(*left + *right);
  if (a.interval && b.interval)
    out.interval = Interval{a.interval->low + b.interval->low, a.interval->high + b.interval->high};
  if (out.is_known()) out.certainty = certainty;
  return out;
}

}  // namespace strata::compare
