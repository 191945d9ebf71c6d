#include "ops/aten_rows.h"

#include <algorithm>
#include <limits>

#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

void cost_as(CostContext& c, std::string_view onnx) {
  find_rule("", onnx, std::numeric_limits<int>::max())->cost(c);
}

double number_of(const NodeView& c, std::string_view name, double otherwise) {
  if (const auto whole = c.integer(name)) return static_cast<double>(*whole);
  return c.real(name, otherwise);
}

bool has_number(const NodeView& c, std::string_view name) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  const double number = number_of(c, name, kMissing);
  return number == number;
}

std::optional<std::size_t> axis_of(const NodeView& c, std::string_view name) {
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  std::int64_t axis = c.integer(name, -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

Expr lines_along(const NodeView& c, std::string_view axis_name) {
  if (c.ranked(0) && c.rank(0) == 0) return 1;
  const auto axis = axis_of(c, axis_name);
  if (!axis) return Expr::unknown();
  return product_of(c.in(0), 0, *axis) * product_from(c.in(0), *axis + 1);
}

Expr window_volume(const NodeView& c, std::string_view name, std::size_t axes) {
  const auto list = c.integers(name);
  const auto one = c.integer(name);
  if (list.empty() && !one) return Expr::unknown();
  Expr volume = 1;
  for (std::size_t i = 0; i < axes; ++i)
    volume *= list.empty() ? *one : list[std::min(i, list.size() - 1)];
  return volume;
}

}  // namespace strata
