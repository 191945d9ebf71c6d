#include "compare/text.h"

#include <cmath>

#include <fmt/format.h>

#include "document/cell_text.h"

namespace strata::compare {

namespace {

std::string signed_text(const Figure& difference, Unit unit) {
  const auto number = difference.number();
  if (!number) {  // a formula
    const std::string text = cell_text(cell_of(difference), unit, false);
    return text.starts_with('-') ? text : "+" + text;
  }
  Figure size = difference;
  if (size.real) *size.real = std::abs(*size.real);
  if (!size.real && *number < 0) size.count = -size.count;
  return (*number < 0 ? "-" : "+") + cell_text(cell_of(size), unit, false);
}

std::string ratio_text(const Change& change) {
  if (!change.ratio) return "";
  if (!change.ratio_interval) return percent_text(*change.ratio);
  return fmt::format("{} [{}, {}]", percent_text(*change.ratio),
                     percent_text(change.ratio_interval->low),
                     percent_text(change.ratio_interval->high));
}

}  // namespace

std::string percent_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  if (percent != 0 && std::abs(percent) < 0.05) return fmt::format("{:+.2g} %", percent);
  return std::abs(percent) < 1000 ? fmt::format("{:+.1f} %", percent)
                                  : fmt::format("{:.4g}×", ratio);
}

std::string figure_text(const Figure& figure, Unit unit) {
  Figure plain = figure;
  plain.interval.reset();
  return cell_text(cell_of(plain), unit, false);
}

std::string change_text(const Change& change, Unit unit) {
  const std::string ratio = ratio_text(change);
  switch (change.verdict) {
    case Verdict::Same:
      return "same";
    case Verdict::Unknown:
      return "unknown";
    case Verdict::Absent:
      return "";
    case Verdict::NotShown:
      return ratio.empty() ? "no difference shown" : fmt::format("no difference shown ({})", ratio);
    default:
      break;
  }
  const std::string difference =
      change.difference.is_known() ? signed_text(change.difference, unit) : "differs";
  return ratio.empty() ? difference : fmt::format("{} ({})", difference, ratio);
}

std::string both_text(const Change& change, Unit unit) {
  if (!change.before.is_known() && !change.after.is_known()) return "";
  if (change.verdict == Verdict::Absent)  // on one side only
    return figure_text(change.before.is_known() ? change.before : change.after, unit);
  std::string before = figure_text(change.before, unit);
  if (change.verdict == Verdict::Same) return before;
  std::string text = fmt::format("{} → {}", before, figure_text(change.after, unit));
  if (change.verdict == Verdict::NotShown) return text + " (not shown)";
  if (change.ratio) text += fmt::format(" ({})", percent_text(*change.ratio));
  return text;
}

}  // namespace strata::compare
