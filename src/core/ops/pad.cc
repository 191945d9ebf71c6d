// Tensors with a border added or a triangle zeroed: Pad, Trilu.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"

namespace strata {

namespace {

// The elements added before and after each axis; a negative amount crops.
struct Border {
  Dims before, after;
};

// The axes that pads apply to: all, unless version 18's input says otherwise. nullopt if they are
// unknown.
Result<std::optional<std::vector<std::size_t>>> padded_axes(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  std::vector<std::size_t> list;
  if (!c.has(3)) {
    for (std::size_t i = 0; i < rank; ++i) list.push_back(i);
    return list;
  }
  const Value* axes = c.value(3);
  if (axes == nullptr) return std::nullopt;
  for (const Scalar& item : axes->items) {
    const Expr number = item.whole();
    if (!number.is_number()) return std::nullopt;
    const auto axis = c.axis(number.value(), rank);
    if (!axis) return failure(axis);
    list.push_back(*axis);
  }
  return list;
}

// nullopt: nothing is known about it.
Result<std::optional<Border>> border_of(ShapeContext& c) {
  const auto axes = padded_axes(c);
  if (!axes) return failure(axes);
  if (!*axes) return std::nullopt;
  Dims pads;
  if (!c.has(1)) {
    for (const std::int64_t pad : c.integers(c.opset() < 2 ? "paddings" : "pads")) {
      pads.push_back(pad);
    }
  } else if (const Value* value = c.value(1)) {
    for (const Scalar& pad : value->items) pads.push_back(pad.whole());
  } else {
    pads.resize(2 * (*axes)->size(), Expr::unknown());
  }
  const std::size_t count = (*axes)->size();
  if (pads.size() != 2 * count) {
    return c.error(fmt::format("{} pads are given where {} axes of {} need {}", pads.size(), count,
                               strata::text(c.dims(0)), 2 * count));
  }
  Border border{Dims(c.rank(0)), Dims(c.rank(0))};
  for (std::size_t i = 0; i < count; ++i) {
    border.before[(**axes)[i]] = pads[i];
    border.after[(**axes)[i]] = pads[count + i];
  }
  return border;
}

// The value of a constant border; nullopt if it is of another kind or unknown.
std::optional<Scalar> filling(ShapeContext& c) {
  if (c.text("mode", "constant") != "constant") return std::nullopt;
  if (c.has(2)) {
    const Value* value = c.value(2);
    return value != nullptr && value->size() == 1 ? std::optional(value->items[0]) : std::nullopt;
  }
  if (is_float(c.dtype(0))) return Scalar::real(c.real("value", 0));
  return Scalar(0);
}

Status pad_shape(ShapeContext& c) {
  const auto border = border_of(c);
  if (!border) return failure(border);
  const std::size_t rank = c.rank(0);
  if (!*border) {
    set_fresh(c, 0, c.dtype(0), Expr(static_cast<std::int64_t>(rank)), "padded");
    return {};
  }
  const Dims& before = (*border)->before;
  const Dims& after = (*border)->after;
  Dims dims(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    dims[i] = known_or_fresh(c, c.dims(0)[i] + before[i] + after[i], "padded");
    if (dims[i].is_number() && dims[i].value() < 0) {
      return c.error(fmt::format("axis {} of {} is shorter than what is cropped from it", i,
                                 strata::text(c.dims(0))));
    }
  }
  const Value* value = elements_of(c, 0);
  const auto numbers = value != nullptr ? known_dims(dims) : std::nullopt;
  const auto fill = numbers ? filling(c) : std::nullopt;
  bool foldable = fill.has_value();
  for (const Expr& pad : before) foldable = foldable && pad.is_number();
  if (!foldable) {
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const ValueDims strides = strides_of(value->dims);
  c.set_value(0, filled(value->type, *numbers, [&](std::span<const std::int64_t> index) {
                std::int64_t at = 0;
                for (std::size_t i = 0; i < rank; ++i) {
                  const std::int64_t from = index[i] - before[i].value();
                  if (from < 0 || from >= value->dims[i]) return *fill;
                  at += from * strides[i];
                }
                return value->items[static_cast<std::size_t>(at)];
              }));
  return {};
}

Status trilu_shape(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  if (rank < 2) return c.error(fmt::format("its input needs at least 2 axes, not {}", rank));
  const Value* value = elements_of(c, 0);
  const auto k = c.has(1) ? c.scalar_of(1) : Expr(0);
  if (value == nullptr || !k || !k->is_number()) return like_input(c);
  const bool upper = c.integer("upper", 1) != 0;
  const ValueDims strides = strides_of(value->dims);
  c.set_value(0, filled(value->type, value->dims, [&](std::span<const std::int64_t> index) {
                const std::int64_t above = index[rank - 1] - index[rank - 2] - k->value();
                if (upper ? above < 0 : above > 0) return Scalar(0);
                std::int64_t at = 0;
                for (std::size_t i = 0; i < rank; ++i) at += index[i] * strides[i];
                return value->items[static_cast<std::size_t>(at)];
              }));
  return {};
}

constexpr Example kPad[] = {
    {"f32[1,3,4,5], i64[8]={0,0,1,1,0,0,1,2}", "", "f32[1,3,6,8]", {.macs = 0, .flops = 0}},
    {"f32[1,3,4,5], i64[4]={1,1,1,2}, _, i64[2]={2,-1}", "", "f32[1,3,6,8]"},
    {"f32[N,8], i64[4]={0,-1,0,-2}", "", "f32[N,5]"},
    {"f32[H,8], i64[4]={0,0,H,0}", "", "f32[2·H,8]"},
    {"f32[N,8], i64[4]", "", "f32[padded,padded_2]"},
    {"i64[2]={N,3}, i64[2]={1,2}, i64[]={9}", "", "i64[5]={9,N,3,9,9}"},
    {"f32[1,3,4,5]", "pads=0,0,1,1,0,0,1,1 mode=\"reflect\"", "f32[1,3,6,7]", {}, 2},
    {"f32[4,5]", "paddings=1,0,1,0", "f32[6,5]", {}, 1},
};
constexpr Example kTrilu[] = {
    {"f32[2,S,S]", "", "f32[2,S,S]", {.macs = 0, .flops = 0}},
    {"i64[2,3]={1,2,3,4,5,6}, i64[]={1}", "", "i64[2,3]={0,2,3,0,0,6}"},
    {"i64[2,3]={1,2,3,4,5,6}", "upper=0", "i64[2,3]={1,0,0,4,5,0}"},
};

constexpr VersionChange kPadsToInputs = {11, Rewrite::AttributesToInputs, {"pads", "value"}};

constexpr OpRule kPadRules[] = {
    {.name = "Pad",
     .since = 1,
     .shape = pad_shape,
     .cost = no_arithmetic,
     .examples = kPad,
     .settings = slots(1, 2, 3),
     .traits = {.op = Op::Pad, .int8 = Int8Use::Soft, .changed = &kPadsToInputs}},
    {.name = "Trilu",
     .since = 14,
     .shape = trilu_shape,
     .cost = no_arithmetic,
     .examples = kTrilu,
     .settings = slots(1)},
};

}  // namespace

std::span<const OpRule> pad_rules() { return kPadRules; }

}  // namespace strata
