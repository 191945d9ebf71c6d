#include "report/cell_text.h"

#include <cmath>

#include <fmt/format.h>

#include "strata/base/number_text.h"

namespace strata {

namespace {

std::string real_text(double number, Unit unit, bool exact) {
  switch (unit) {
    case Unit::Percent:
      return fmt::format("{:.1f}", number);
    case Unit::Megabytes:
    case Unit::FlopsPerByte:
      return fmt::format("{:.2f}", number);
    case Unit::Picojoules:
      return exact ? grouped(std::llround(number)) : human_picojoules(number);
    case Unit::Bytes:
      return exact ? grouped(std::llround(number)) : human_bytes(number);
    default:
      return exact ? grouped(std::llround(number)) : human(number);
  }
}

}  // namespace

std::string cell_text(const Cell& cell, Unit unit, bool exact) {
  std::string text;
  if (const auto* words = std::get_if<std::string>(&cell.value)) return *words;
  if (const auto* expr = std::get_if<Expr>(&cell.value))
    text = expr_text(*expr, unit == Unit::Bytes ? NumberStyle::Bytes : NumberStyle::Plain, exact);
  else if (const auto* real = std::get_if<double>(&cell.value))
    text = real_text(*real, unit, exact);
  else
    return "?";
  if (cell.certainty == Certainty::Unknown) return "?";
  return cell.certainty == Certainty::LowerBound ? "≥" + text : text;
}

bool is_right_aligned(Unit unit) { return unit != Unit::Text; }

}  // namespace strata
