// Numbers, formulas, shapes and cells of a saved profile.
#include <fmt/format.h>

#include "base/in_quotes.h"
#include "profile/read_json.h"

namespace strata {

namespace {

constexpr std::string_view kNumberForms =
    "is not a count: a number, {\"formula\": …}, {\"at_least\": …} or null";

}  // namespace

const ProfileReader::Json* ProfileReader::part(const Json& object, const char* key) {
  const Json* found = at(object, key);
  if (good() && (found == nullptr || !found->is_object()))
    wrong("it", fmt::format("has no object \"{}\"", key));
  return good() ? found : nullptr;
}

std::optional<Expr> ProfileReader::expr(const Json& value) const {
  if (value.is_null()) return Expr::unknown();
  if (const auto number = whole_number(value)) {
    const Expr exact(*number);
    return exact.is_overflow() ? std::nullopt : std::optional(exact);
  }
  if (!value.is_object() || !value.contains("formula") ||
      value.size() != (value.contains("at_most") ? 2 : 1))
    return std::nullopt;
  const Json& formula = value["formula"];
  if (!formula.is_string()) return std::nullopt;
  return expr_from_text(formula.get_ref<const std::string&>(), symbol_names_);
}

Expr ProfileReader::expr_at(const Json& object, const char* key, std::string_view where) {
  const Json* value = at(object, key);
  if (value == nullptr) return Expr::unknown();
  const auto number = expr(*value);
  if (!number) wrong(where, fmt::format("has a \"{}\" that {}", key, kNumberForms));
  return number.value_or(Expr::unknown());
}

std::optional<Cell> ProfileReader::cell(const Json& value, bool is_text) const {
  if (value.is_null()) return Cell{std::monostate{}, Certainty::Unknown};
  if (is_text && value.is_array()) {
    const auto shapes = shapes_text(value);
    return shapes ? std::optional(Cell{*shapes}) : std::nullopt;
  }
  if (!is_text && value.is_string()) {
    const auto infinity = real_number(value);
    return infinity ? std::optional(Cell{*infinity}) : std::nullopt;
  }
  if (is_text)
    return value.is_string() ? std::optional(Cell{value.get<std::string>()}) : std::nullopt;
  const bool is_bound = value.is_object() && value.size() == 1 && value.contains("at_least");
  const Json& inner = is_bound ? value["at_least"] : value;
  if (is_bound && inner.is_null()) return std::nullopt;
  const Certainty certainty = is_bound ? Certainty::LowerBound : Certainty::Exact;
  if (inner.is_number_float()) return Cell{inner.get<double>(), certainty};
  const auto number = expr(inner);
  return number ? std::optional(Cell{*number, certainty}) : std::nullopt;
}

std::optional<std::string> ProfileReader::shape_text(const Json& shape) {
  if (shape.is_null()) return "?";
  if (!shape.is_array()) return std::nullopt;
  if (shape.empty()) return "scalar";
  std::string out;
  for (const Json& size : shape) {
    if (&size != &shape.front()) out += "×";
    if (const auto number = whole_number(size))
      out += fmt::format("{}", *number);
    else if (size.is_string() || size.is_null())
      out += size.is_null() ? "?" : size.get<std::string>();
    else
      return std::nullopt;
  }
  return out;
}

std::optional<std::string> ProfileReader::shapes_text(const Json& shapes) {
  std::string out;
  for (const Json& shape : shapes) {
    const auto one = shape_text(shape);
    if (!one) return std::nullopt;
    if (&shape != &shapes.front()) out += ", ";
    out += *one;
  }
  return out;
}

Cell ProfileReader::cell_at(const Json& object, const Column& column, std::string_view where) {
  const auto found = object.find(column.name);
  if (found == object.end()) return {std::monostate{}, Certainty::Unknown};
  const bool is_text = column.unit == Unit::Text;
  auto read_cell = cell(*found, is_text);
  if (!read_cell)
    wrong(where, fmt::format("has a value in column {} that {}", in_quotes(column.name),
                             is_text ? "is neither text nor a list of shapes" : kNumberForms));
  return read_cell.value_or(Cell{});
}

}  // namespace strata
