// Known elements moved around: the index arithmetic that layout, slice, gather and
// scatter rules share when they fold.
#pragma once

#include <optional>
#include <span>

#include "ops/shape_context.h"

namespace strata {

using ValueDims = InlineVector<std::int64_t, 4>;

// The elements of input i, if they are known, have the shape that the input is
// said to have, and are worth folding: all that shapes are computed from is made of
// integers and booleans, or of a few real numbers.
const Value* elements_of(ShapeContext& c, std::size_t i);

// The number of elements, if it is one that a Value may have.
std::optional<std::size_t> small_count(std::span<const std::int64_t> dims);
// The sizes as numbers, if they are, and a Value may have this shape.
std::optional<ValueDims> known_dims(const Dims& dims);

// Row-major: how far apart neighbours along each axis are.
ValueDims strides_of(std::span<const std::int64_t> dims);

// A Value of `dims` whose element at index (i, j, …) is from.items[start + i·strides[0]
// + j·strides[1] + …]; transposes, slices and repeats are all of this kind. The caller
// answers for the indices.
Value strided(const Value& from, const ValueDims& dims, std::int64_t start,
              std::span<const std::int64_t> strides);

// A Value of `dims` with the item at each index (in row-major order) given by `item`.
template <class Item>
Value filled(DType type, const ValueDims& dims, Item&& item) {
  Value value{type, dims, {}};
  const std::size_t count = small_count(dims).value_or(0);
  value.items.reserve(count);
  ValueDims index(dims.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    value.items.push_back(item(std::span<const std::int64_t>(index)));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return value;
}

// The elements of `from`, seen as of shape `dims`, at these positions along an axis.
Value picked(const Value& from, ValueDims dims, std::size_t axis,
             std::span<const std::int64_t> positions);

// The product of the sizes in [first, last).
std::int64_t count_of(std::span<const std::int64_t> dims, std::size_t first, std::size_t last);

// A number for ordering and comparing: exact for 64-bit integers too. nullopt for formulas.
std::optional<long double> exact_number(const Scalar& item);

// The size itself, or a new symbol if nothing is known of it.
Expr known_or_fresh(ShapeContext& c, const Expr& size, std::string_view hint);
// Output i with `rank` sizes that only data can tell; of unknown rank if that is too many.
void set_fresh(ShapeContext& c, std::size_t i, DType dtype, const Expr& rank,
               std::string_view hint);
// Input 0 along the attribute `axis`, or with all of its elements on one axis where that is absent.
struct AlongAxis {
  Dims dims;
  std::size_t axis = 0;
  bool flat = false;
};
Result<AlongAxis> along_axis(ShapeContext& c);
// The number of elements of an input with one axis (or none: 1); unknown otherwise.
Expr length_of(const ShapeContext& c, std::size_t i);

}  // namespace strata
