#include "profile/shape_text.h"

namespace strata {

namespace {

constexpr std::string_view kTimes = "×";
constexpr std::string_view kBetween = ", ";

// The first `mark` that stands in no brackets, as in `min(a, b)`; npos: there is none.
std::size_t find_outside(std::string_view text, std::string_view mark) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && text.substr(i).starts_with(mark)) return i;
  }
  return text.npos;
}

// Takes the part before the mark, and the mark, off the text.
std::string_view take_part(std::string_view& text, std::string_view mark, bool& last) {
  const std::size_t end = find_outside(text, mark);
  last = end == text.npos;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(last ? text.size() : end + mark.size());
  return part;
}

}  // namespace

std::optional<Shape> shape_from_text(std::string_view text, std::span<const std::string> symbols) {
  if (text == "?") return Shape();
  Dims dims;
  if (text == "scalar") return Shape(std::move(dims));
  for (bool last = false; !last;) {
    const std::string_view word = take_part(text, kTimes, last);
    const auto size = word == "?" ? std::optional(Expr::unknown()) : expr_from_text(word, symbols);
    if (!size) return std::nullopt;
    dims.push_back(*size);
  }
  return Shape(std::move(dims));
}

std::optional<Cells> shapes_from_text(std::string_view text, std::span<const std::string> symbols) {
  Cells shapes;
  for (bool last = text.empty(); !last;) {
    auto shape = shape_from_text(take_part(text, kBetween, last), symbols);
    if (!shape) return std::nullopt;
    shapes.emplace_back(std::move(*shape));
  }
  return shapes;
}

}  // namespace strata
