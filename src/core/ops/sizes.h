// Sizes of axes that may not exist: cost rules also see nodes whose shapes could not be inferred.
#pragma once

#include "strata/graph/graph.h"

namespace strata {

// The size of an axis; unknown if the tensor has no such axis.
inline Expr size_at(const TypeInfo& type, std::size_t axis) {
  return axis < type.dims.size() ? type.dims[axis] : Expr::unknown();
}

// The size of the axis `back` before the last (0: the last).
inline Expr size_from_end(const TypeInfo& type, std::size_t back) {
  return back < type.dims.size() ? type.dims[type.dims.size() - 1 - back] : Expr::unknown();
}

// Product of the sizes of axes [first, end); unknown if the tensor has fewer
// than `first` axes.
inline Expr product_of(const TypeInfo& type, std::size_t first, std::size_t end) {
  if (!type.ranked || type.dims.size() < first) return Expr::unknown();
  Expr product = 1;
  for (std::size_t i = first; i < end && i < type.dims.size(); ++i) product *= type.dims[i];
  return product;
}
inline Expr product_from(const TypeInfo& type, std::size_t first) {
  return product_of(type, first, type.dims.size());
}

// A part along `axis` is contiguous if every axis before it has one element.
inline bool is_outermost(const Dims& dims, std::int64_t axis) {
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  for (std::int64_t i = 0; i < axis && i < static_cast<std::int64_t>(dims.size()); ++i)
    if (!dims[static_cast<std::size_t>(i)].is(1)) return false;
  return true;
}

// True if both are numbers and differ.
inline bool clash(const Expr& a, const Expr& b) {
  return a.is_number() && b.is_number() && a.value() != b.value();
}

}  // namespace strata
