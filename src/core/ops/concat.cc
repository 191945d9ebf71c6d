// Joins tensors and splits them along an axis: Concat, Split.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// The elements of a concatenation. Part of a shape vector may be unknown; the rest is still useful.
std::optional<Value> concatenated(ShapeContext& c, std::size_t axis, const Dims& dims) {
  const auto numbers = known_dims(dims);
  if (!numbers) return std::nullopt;
  const bool is_vector =
      numbers->size() == 1 && is_integer(c.dtype(0)) && (*numbers)[0] <= kMaxRank;
  std::vector<const Value*> parts(c.input_count());
  bool any = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = elements_of(c, i);
    any = any || (parts[i] != nullptr && parts[i]->size() > 0);
    if (parts[i] == nullptr && !is_vector && c.has(i)) return std::nullopt;
  }
  if (!any && *small_count(*numbers) > 0) return std::nullopt;
  Value joined{c.dtype(0), *numbers, {}};
  joined.items.reserve(*small_count(*numbers));
  if (is_vector) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!c.has(i)) continue;
      if (parts[i] != nullptr) {
        joined.items.append(parts[i]->items.begin(), parts[i]->items.end());
      } else {
        joined.items.resize(joined.items.size() + static_cast<std::size_t>(c.dims(i)[0].value()),
                            Expr::unknown());
      }
    }
    return joined;
  }
  const std::int64_t outer = count_of(*numbers, 0, axis);
  for (std::int64_t block = 0; block < outer; ++block) {
    for (const Value* part : parts) {
      if (part == nullptr) continue;
      const std::int64_t inner = count_of(part->dims, axis, part->dims.size());
      const auto first = part->items.begin() + block * inner;
      joined.items.append(first, first + inner);
    }
  }
  return joined;
}

Status concat_shape(ShapeContext& c) {
  // Version 1 joins along axis 1 by default; later versions require the attribute.
  const auto axis = c.axis(c.integer("axis", 1), c.rank(0));
  if (!axis) return failure(axis);
  Dims dims = c.dims(0);
  bool any_value = c.has_value(0);
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    if (!c.has(i)) continue;
    any_value = any_value || c.has_value(i);
    const Dims& part = c.dims(i);
    bool fits = part.size() == dims.size();
    for (std::size_t a = 0; fits && a < dims.size(); ++a) {
      if (a == *axis) {
        dims[a] += part[a];
      } else {
        fits = !clash(dims[a], part[a]);
        if (!dims[a].is_number() && part[a].is_number()) dims[a] = part[a];
      }
    }
    if (!fits) {
      return c.error(fmt::format("input {} ({}) does not fit {} along axis {}", i,
                                 strata::text(part), strata::text(c.dims(0)), *axis));
    }
  }
  if (any_value) {
    if (auto joined = concatenated(c, *axis, dims)) {
      c.set_value(0, *std::move(joined));
      return {};
    }
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// The sizes of the parts along the axis.
Result<Dims> part_sizes(ShapeContext& c, std::size_t axis) {
  const std::size_t count = c.output_count();
  const Expr whole = c.dims(0)[axis];
  Dims sizes;
  if (c.has(1) || !c.integers("split").empty()) {
    if (!c.has(1)) {
      for (const std::int64_t size : c.integers("split")) sizes.push_back(size);
    } else if (const Value* value = c.value(1)) {
      for (const Scalar& size : value->items) sizes.push_back(size.whole());
    } else {
      return Dims(count, Expr::unknown());
    }
    Expr sum = 0;
    for (const Expr& size : sizes) {
      if (size.is_number() && size.value() < 0) {
        return c.error(fmt::format("a part cannot have the size {}", size.text()));
      }
      sum += size;
    }
    if (sizes.size() != count) {
      return c.error(fmt::format("{} sizes are given for {} parts", sizes.size(), count));
    }
    if (clash(sum, whole)) {
      return c.error(fmt::format("parts of {} in all do not make up axis {} of {}", sum.text(),
                                 axis, strata::text(c.dims(0))));
    }
    return sizes;
  }
  const std::int64_t parts = c.integer("num_outputs", static_cast<std::int64_t>(count));
  if (parts < static_cast<std::int64_t>(count) || parts > kMaxValueElements) {
    return c.error(fmt::format("num_outputs is {}, but it has {} outputs", parts, count));
  }
  if (auto even = exact_div(whole, parts)) return Dims(count, *even);
  if (c.opset() < 18) {
    if (!whole.is_number()) return Dims(count, floor_div(whole, parts));
    return c.error(fmt::format("{} cannot be split along axis {} into {} equal parts",
                               strata::text(c.dims(0)), axis, parts));
  }
  // Equal parts, with the last ones smaller.
  const Expr part = ceil_div(whole, parts);
  for (std::size_t i = 0; i < count; ++i) {
    const Expr left = whole - part * static_cast<std::int64_t>(i);
    const bool last = i + 1 == static_cast<std::size_t>(parts);
    sizes.push_back(left.is_number() ? max(0, min(part, left)) : last ? left : part);
  }
  return sizes;
}

Status split_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  const auto sizes = part_sizes(c, *axis);
  if (!sizes) return failure(sizes);
  const Value* value = elements_of(c, 0);
  const ValueDims strides = value != nullptr ? strides_of(value->dims) : ValueDims();
  Expr start = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    Dims dims = c.dims(0);
    dims[*axis] = known_or_fresh(c, (*sizes)[i], "split");
    const auto numbers = value != nullptr && start.is_number() ? known_dims(dims) : std::nullopt;
    start += dims[*axis];
    if (numbers && start.is_number() && start.value() <= value->dims[*axis]) {
      const std::int64_t first = (start - dims[*axis]).value() * strides[*axis];
      c.set_value(i, strided(*value, *numbers, first, strides));
    } else {
      c.set(i, c.dtype(0), std::move(dims));
    }
  }
  return {};
}

constexpr Example kConcat[] = {
    {"f32[2,3], f32[2,5]", "axis=1", "f32[2,8]", {.macs = 0, .flops = 0}},
    {"f32[N,3], f32[N,S]", "axis=-1", "f32[N,S + 3]"},
    {"i64[1]={N}, i64[2]={3,-1}", "axis=0", "i64[3]={N,3,-1}"},
    {"i64[1]={N}, i64[1]", "axis=0", "i64[2]={N,?}"},
    {"i64[2,1]={1,2}, i64[2,2]={3,4,5,6}", "axis=1", "i64[2,3]={1,3,4,2,5,6}"},
    {"f32[2,3], f32[2,5]", "", "f32[2,8]", {}, 1},
};
constexpr Example kSplit[] = {
    {"f32[2,6], i64[2]={2,4}", "axis=1", "f32[2,2], f32[2,4]", {.macs = 0, .flops = 0}},
    {"f32[6]", "num_outputs=3", "f32[2], f32[2], f32[2]"},
    {"f32[7]", "num_outputs=3", "f32[3], f32[3], f32[1]"},
    {"f32[N,2304]", "axis=-1 num_outputs=3", "f32[N,768], f32[N,768], f32[N,768]"},
    {"f32[N,6]", "axis=1 split=1,5", "f32[N,1], f32[N,5]", {}, 11},
    {"f32[6]", "", "f32[3], f32[3]", {}, 13},
    {"i64[3]={N,3,S}, i64[2]={1,2}", "", "i64[1]={N}, i64[2]={3,S}"},
    {"f32[6], i64[2]", "", "f32[split], f32[split_2]"},
};
constexpr VersionChange kSizesToInput = {13, Rewrite::AttributesToInputs, {"split"}};

Strided split_order(const NodeView& c) {
  return is_outermost(c.dims(0), c.integer("axis", 0)) ? Strided::InOrder : Strided::OutOfOrder;
}

constexpr OpRule kConcatRules[] = {
    {.name = "Concat",
     .since = 1,
     .shape = concat_shape,
     .cost = no_arithmetic,
     .examples = kConcat,
     .traits = {.op = Op::Concat, .int8 = Int8Use::Arithmetic}},
    {.name = "Split",
     .since = 1,
     .shape = split_shape,
     .cost = no_arithmetic,
     .examples = kSplit,
     .settings = slots(1),
     .traits = {.op = Op::Split,
                .int8 = Int8Use::Passing,
                .int8_any_outputs = true,
                .strided = split_order,
                .changed = &kSizesToInput}},
};

}  // namespace

std::span<const OpRule> concat_rules() { return kConcatRules; }

}  // namespace strata
