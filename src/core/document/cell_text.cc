#include "document/cell_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/fixed_text.h"
#include "base/shortened.h"
#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

std::string real_text(double number, Unit unit, bool exact) {
  switch (unit) {
    case Unit::Percent:
    case Unit::Decibels:
      return fixed_text(number, 1);
    case Unit::Number:
      return exact ? fmt::format("{}", number) : fmt::format("{:.4g}", number);
    case Unit::Megabytes:
    case Unit::FlopsPerByte:
      return fixed_text(number, 2);
    case Unit::Picojoules:
      return exact ? grouped(std::llround(number)) : human_picojoules(number);
    case Unit::Bytes:
      return exact ? grouped(std::llround(number)) : human_bytes(number);
    case Unit::Seconds:
      return exact ? fmt::format("{:.9f}", number) : human_seconds(number);
    default:
      return exact ? grouped(std::llround(number)) : human(number);
  }
}

constexpr std::size_t kWholeTerms = 3;

NumberStyle style_of(Unit unit) {
  if (unit == Unit::Bytes) return NumberStyle::Bytes;
  return unit == Unit::Picojoules ? NumberStyle::Picojoules : NumberStyle::Plain;
}

// A formula with many sizes in it would tear the table apart: its two largest
// terms stand for it. --exact and machine output have all of it.
std::string short_text(const Expr& expr, NumberStyle style) {
  if (expr.is_number()) return expr_text(expr, style, false);
  std::vector<Expr::Term> terms = expr.terms();
  if (terms.size() <= kWholeTerms) return expr_text(expr, style, false);
  std::stable_sort(terms.begin(), terms.end(), [](const Expr::Term& a, const Expr::Term& b) {
    return std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  std::string text;
  for (const Expr::Term& term : std::span(terms).first(2)) {
    text += expr_text(Expr(term.coefficient), style, false);
    if (!term.product.empty()) text += "·" + term.product;
    text += " + ";
  }
  return text + "…";
}

// Texts, lists and the like, of which nothing is rounded.
std::optional<std::string> words_of(const Cell& cell, Unit unit, bool exact) {
  if (const auto* words = std::get_if<std::string>(&cell.value)) return *words;
  if (const auto* path = std::get_if<FilePath>(&cell.value)) return path->text;
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "yes" : "no";
  if (const auto* shape = std::get_if<Shape>(&cell.value)) return *shape ? text(**shape) : "?";
  const auto* list = std::get_if<Cells>(&cell.value);
  if (list == nullptr) return std::nullopt;
  std::string out;
  for (const Cell& item : *list)
    out += (&item == list->data() ? "" : ", ") + cell_text(item, unit, exact);
  return out;
}

}  // namespace

std::string cell_text(const Cell& cell, Unit unit, bool exact) {
  if (cell.is_unknown() && cell.meaning == Meaning::Elsewhere)
    return unit == Unit::Seconds ? "fused" : "";
  if (cell.is_unknown() && cell.meaning == Meaning::Nowhere)
    return unit == Unit::Seconds ? "–" : "";
  if (auto words = words_of(cell, unit, exact)) return std::move(*words);
  std::string text;
  const NumberStyle style = style_of(unit);
  if (const auto* expr = std::get_if<Expr>(&cell.value))
    text = exact ? expr_text(*expr, style, true) : short_text(*expr, style);
  else if (const auto* real = std::get_if<double>(&cell.value))
    text = real_text(*real, unit, exact);
  else if (const auto* estimate = std::get_if<Estimate>(&cell.value))
    text =
        fmt::format("{} [{}, {}]", real_text(estimate->value, unit, exact),
                    real_text(estimate->low, unit, exact), real_text(estimate->high, unit, exact));
  else
    return "?";
  if (cell.certainty == Certainty::Unknown) return "?";
  return cell.certainty == Certainty::LowerBound ? "≥" + text : text;
}

std::string shown_text(const Cell& cell, Unit unit, bool exact) {
  return shortened(visible(cell_text(cell, unit, exact)));
}

bool is_right_aligned(Unit unit) { return unit != Unit::Text; }

}  // namespace strata
