#include "document/paint.h"

#include <fmt/format.h>

namespace strata {

namespace {

// ECMA-48's numbers (SGR); 0: none.
int code_of(Paint paint) {
  switch (paint) {
    case Paint::None:
      return 0;
    case Paint::Bold:
      return 1;
    case Paint::Dim:
      return 2;
    case Paint::Green:
      return 32;
    case Paint::Red:
      return 31;
    case Paint::Cyan:
      return 36;
  }
  return 0;
}

bool is_zero(const Cell& cell) {
  if (cell.certainty != Certainty::Exact) return false;
  if (const auto* number = std::get_if<Expr>(&cell.value)) return number->is(0);
  const auto* real = std::get_if<double>(&cell.value);
  return real != nullptr && *real == 0;
}

}  // namespace

std::string painted(std::string_view text, Paint paint) {
  if (text.empty() || paint == Paint::None) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(paint), text);
}

Paint paint_of(const Cell& cell) {
  const Paint paint = paint_of(cell.meaning);
  return paint == Paint::None && is_zero(cell) ? Paint::Dim : paint;
}

Paint paint_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::Plain:
      return Paint::None;
    case Meaning::Elsewhere:
    case Meaning::Nowhere:
      return Paint::Dim;
    case Meaning::Better:
      return Paint::Green;
    case Meaning::Worse:
    case Meaning::Refused:
      return Paint::Red;
  }
  return Paint::None;
}

}  // namespace strata
