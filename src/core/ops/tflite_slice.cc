// Operators of TFLite that take a tensor apart.
#include "ops/registry.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

bool is_set(std::int64_t mask, std::size_t bit) { return bit < 32 && ((mask >> bit) & 1) != 0; }

// One axis of a slice: its start, end and step, as TensorFlow writes them.
struct Cut {
  std::optional<Expr> begin, end;  // nullopt: from its start, to its end
  std::int64_t step = 1;
};

// A bound as TensorFlow counts it: from the end if it is negative, and no farther than the axis.
Expr bound(const Expr& place, const Expr& size) {
  if (!place.is_number()) return place;
  if (place.value() >= 0)
    return size.is_number() ? Expr(std::min(place.value(), size.value())) : place;
  const Expr from_end = size + place;
  return from_end.is_number() ? Expr(std::max<std::int64_t>(from_end.value(), 0)) : from_end;
}

Expr elements_of_cut(ShapeContext& c, const Cut& cut, const Expr& size) {
  if (!cut.begin && !cut.end && (cut.step == 1 || cut.step == -1)) return size;
  if (cut.step < 1) return c.fresh("size");
  const Expr begin = cut.begin ? bound(*cut.begin, size) : Expr(0);
  const Expr end = cut.end ? bound(*cut.end, size) : size;
  const Expr count = ceil_div(end - begin, cut.step);
  if (count.is_unknown()) return c.fresh("size");
  return count.is_number() && count.value() < 0 ? Expr(0) : count;
}

// The elements that a cut of known elements along one axis takes.
void set_known_cut(ShapeContext& c, const Cut& cut, const Expr& count, bool drops_axis) {
  const Value* value = c.value(0);
  if (value == nullptr || value->dims.size() != 1 || !count.is_number() || cut.step < 1) return;
  const Expr begin = cut.begin ? bound(*cut.begin, Expr(value->dims[0])) : Expr(0);
  if (!begin.is_number()) return;
  Dims items;
  for (std::int64_t i = 0; i < count.value(); ++i) {
    const std::int64_t at = begin.value() + i * cut.step;
    if (at < 0 || at >= static_cast<std::int64_t>(value->size())) return;
    items.push_back(value->items[static_cast<std::size_t>(at)].whole());
  }
  if (drops_axis && items.size() == 1)
    c.set_value(0, scalar_value(c.dtype(0), items[0]));
  else if (!drops_axis)
    c.set_value(0, vector_value(c.dtype(0), items));
}

// Data, begins, ends, steps, and masks with a bit for each of them. An ellipsis stands for as many
// axes as the others leave, and a new axis for none.
Status tflite_strided_slice_shape(ShapeContext& c) {
  const auto begins = c.integers_of(1), ends = c.integers_of(2), steps = c.integers_of(3);
  const std::int64_t begin_mask = c.integer("begin_mask", 0), end_mask = c.integer("end_mask", 0);
  const std::int64_t shrink = c.integer("shrink_axis_mask", 0);
  const std::int64_t new_axis = c.integer("new_axis_mask", 0);
  const std::int64_t ellipsis = c.integer("ellipsis_mask", 0);
  std::size_t used = 0;
  for (std::size_t i = 0; steps && i < steps->size(); ++i)
    used += !is_set(ellipsis, i) && !is_set(new_axis, i) ? 1 : 0;
  if (!steps || used > c.rank(0)) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  Dims dims;
  std::size_t axis = 0;
  std::size_t skipped = c.rank(0) - used;  // by the first ellipsis, or at the end
  const auto skip = [&] {
    for (; skipped > 0; --skipped) dims.push_back(c.dims(0)[axis++]);
  };
  for (std::size_t i = 0; i < steps->size(); ++i) {
    if (is_set(ellipsis, i)) {
      skip();
      continue;
    }
    if (is_set(new_axis, i)) {
      dims.push_back(1);
      continue;
    }
    const Expr& size = c.dims(0)[axis++];
    Cut cut;
    cut.step = (*steps)[i].is_number() ? (*steps)[i].value() : 0;
    if (!is_set(begin_mask, i) || is_set(shrink, i))
      cut.begin = begins && i < begins->size() ? (*begins)[i] : Expr::unknown();
    if (!is_set(end_mask, i)) cut.end = ends && i < ends->size() ? (*ends)[i] : Expr::unknown();
    const bool is_all = c.rank(0) == 1 && steps->size() == 1;
    if (is_set(shrink, i)) {
      if (!is_all) continue;
      c.set(0, c.dtype(0), Dims{});
      set_known_cut(c, cut, 1, true);
      return {};
    }
    dims.push_back(elements_of_cut(c, cut, size));
    if (is_all && dims[0].is_number()) {
      c.set(0, c.dtype(0), dims);
      set_known_cut(c, cut, dims[0], false);
      return {};
    }
  }
  skip();
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Data, begins and sizes; a size of -1 is the rest of the axis.
Status tflite_slice_shape(ShapeContext& c) {
  const auto begins = c.integers_of(1), sizes = c.integers_of(2);
  Dims dims;
  for (std::size_t i = 0; i < c.rank(0); ++i) {
    Expr size = sizes && i < sizes->size() ? (*sizes)[i] : Expr::unknown();
    const Expr begin = begins && i < begins->size() ? (*begins)[i] : Expr::unknown();
    if (size.is(-1)) size = begin.is(0) ? c.dims(0)[i] : c.dims(0)[i] - begin;
    dims.push_back(size.is_unknown() ? c.fresh("size") : size);
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Reads the part that it returns.
void tflite_part_cost(CostContext& c) { c.reads(bytes(c.out_elements(0), c.dtype(0))); }

// Equal parts along the axis that the first input is.
Status tflite_split_shape(ShapeContext& c) {
  const auto stated = c.scalar_of(0);
  if (!stated || !stated->is_number()) {
    for (std::size_t i = 0; i < c.output_count(); ++i) c.set_unranked(i, c.dtype(1));
    return {};
  }
  const auto axis = c.axis(stated->value(), c.rank(1));
  if (!axis) return failure(axis);
  Dims dims = c.dims(1);
  const auto part = exact_div(dims[*axis], static_cast<std::int64_t>(c.output_count()));
  if (!part) return c.error("its axis cannot be split into equal parts");
  dims[*axis] = *part;
  for (std::size_t i = 0; i < c.output_count(); ++i) c.set(i, c.dtype(1), dims);
  return {};
}

// Parts of the sizes that the second input has, along the axis that the third is.
Status split_v_shape(ShapeContext& c) {
  const auto sizes = c.integers_of(1);
  const auto stated = c.scalar_of(2);
  if (!sizes || !stated || !stated->is_number() || sizes->size() != c.output_count()) {
    for (std::size_t i = 0; i < c.output_count(); ++i) c.set_unranked(i, c.dtype(0));
    return {};
  }
  const auto axis = c.axis(stated->value(), c.rank(0));
  if (!axis) return failure(axis);
  Expr rest = c.dims(0)[*axis];
  for (const Expr& size : *sizes)
    if (!size.is(-1)) rest -= size;
  const Value* value = c.rank(0) == 1 ? c.value(0) : nullptr;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const Expr size = (*sizes)[i].is(-1) ? rest : (*sizes)[i];
    Dims dims = c.dims(0);
    dims[*axis] = size;
    c.set(i, c.dtype(0), std::move(dims));
    if (value == nullptr || !size.is_number() || size.value() < 0) {
      value = nullptr;
      continue;
    }
    Dims items;
    for (std::int64_t k = 0; k < size.value() && at < static_cast<std::int64_t>(value->size());
         ++k, ++at)
      items.push_back(value->items[static_cast<std::size_t>(at)].whole());
    if (static_cast<std::int64_t>(items.size()) == size.value())
      c.set_value(i, vector_value(c.dtype(0), items));
  }
  return {};
}

constexpr Example kTfliteStrided[] = {
    {"f32[1,8,8,3], i32[4]={0,1,0,0}, i32[4]={0,7,8,3}, i32[4]={1,2,1,1}",
     "begin_mask=1 end_mask=1",
     "f32[1,3,8,3]",
     {.macs = 0, .flops = 0}},
    {"i32[4]={5,6,7,8}, i32[1]={1}, i32[1]={2}, i32[1]={1}", "shrink_axis_mask=1", "i32[]={6}"},
    {"f32[N,8], i32[2]={0,-1}, i32[2]={0,0}, i32[2]={1,1}",
     "begin_mask=1 end_mask=1 shrink_axis_mask=2", "f32[N]"},
    // x[:, None, 1:3] and x[..., 1]
    {"f32[N,8,5], i32[3]={0,0,1}, i32[3]={0,0,3}, i32[3]={1,1,1}",
     "begin_mask=1 end_mask=1 new_axis_mask=2", "f32[N,1,2,5]"},
    {"f32[N,8,5], i32[2]={0,1}, i32[2]={0,2}, i32[2]={1,1}", "ellipsis_mask=1 shrink_axis_mask=2",
     "f32[N,8]"},
};
constexpr Example kTfliteSlice[] = {
    {"f32[1,8,8,3], i32[4]={0,2,0,0}, i32[4]={1,-1,8,3}", "", "f32[1,6,8,3]", {.flops = 0}}};
constexpr Example kTfliteSplit[] = {
    {"i32[]={1}, f32[2,8]", "num_splits=2", "f32[2,4], f32[2,4]", {.flops = 0}}};
constexpr Example kTfliteSplitV[] = {
    {"f32[2,8], i32[2]={3,-1}, i32[]={1}", "num_splits=2", "f32[2,3], f32[2,5]", {.flops = 0}}};

constexpr OpRule kTfliteSliceRules[] = {
    with_settings(tflite("STRIDED_SLICE", "Slice", tflite_strided_slice_shape, tflite_part_cost,
                         kTfliteStrided),
                  slots(1, 2, 3)),
    with_settings(tflite("SLICE", "Slice", tflite_slice_shape, tflite_part_cost, kTfliteSlice),
                  slots(1, 2)),
    with_settings(tflite("SPLIT", "Split", tflite_split_shape, no_arithmetic, kTfliteSplit),
                  slots(0)),
    with_settings(tflite("SPLIT_V", "Split", split_v_shape, no_arithmetic, kTfliteSplitV),
                  slots(1, 2)),
};

}  // namespace

std::span<const OpRule> tflite_slice_rules() { return kTfliteSliceRules; }

}  // namespace strata
