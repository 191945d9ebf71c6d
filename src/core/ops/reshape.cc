// Gives the same elements another shape: Reshape, Flatten, Squeeze, Unsqueeze.
#include <algorithm>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Output 0 has the elements of input 0, in order, in another shape.
void set_view(ShapeContext& c, Dims dims) {
  if (const Value* value = elements_of(c, 0)) {
    const auto numbers = known_dims(dims);
    if (numbers && small_count(*numbers) == value->size()) {
      return c.set_value(0, Value{value->type, *numbers, value->items});
    }
  }
  c.set(0, c.dtype(0), std::move(dims));
}

// The shape that Reshape is asked for, with 0 and -1 not yet resolved; nullopt if it is unknown.
// Before version 5, it is an attribute.
std::optional<Dims> wanted_shape(ShapeContext& c) {
  Dims wanted;
  if (!c.has(1)) {
    for (const std::int64_t size : c.integers("shape")) wanted.push_back(size);
    return wanted;
  }
  const Value* shape = c.value(1);
  if (shape == nullptr || shape->items.size() > std::size_t{kMaxRank}) return std::nullopt;
  for (const Scalar& size : shape->items) wanted.push_back(size.whole());
  return wanted;
}

// Perhaps only the number of axes is known; if it is one, that axis holds all elements.
void reshape_to_unknown(ShapeContext& c) {
  const Expr rank = length_of(c, 1);
  if (rank.is(1) && c.ranked(0)) {
    return set_view(c, {known_or_fresh(c, c.in_elements(0), "reshaped")});
  }
  set_fresh(c, 0, c.dtype(0), rank, "reshaped");
}

bool is_open(const Expr& size) { return size.is_unknown() || size.is(-1); }

// A requested shape, as far as it is resolved. Sizes that occur on both sides cancel, so that a
// quotient of long formulas is rare.
struct Resolved {
  Dims left;                             // the input's sizes, 1 for those that have cancelled
  Expr given = 1;                        // product of the requested sizes that have not cancelled
  std::size_t open_count = 0, open = 0;  // sizes that follow from the others, and the last one
  bool empty = false;                    // a size of 0 has cancelled

  void take(const Expr& size) {
    if (size.is_formula()) {
      const auto same = std::find(left.begin(), left.end(), size);
      if (same != left.end()) {
        *same = 1;
        return;
      }
    }
    given *= size;
  }
  void copy(std::size_t axis, const Expr& size) {
    if (left[axis] != size && !size.is_unknown()) return take(size);
    left[axis] = 1;
    empty = empty || size.is(0);
  }
};

// Replaces each 0 with the input's size and finds the open sizes.
Result<Resolved> resolve(ShapeContext& c, Dims& wanted) {
  Resolved r{c.dims(0)};
  const bool zero_copies = c.integer("allowzero", 0) == 0;
  std::size_t minus_ones = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Expr& size = wanted[i];
    if (is_open(size)) {
      minus_ones += size.is(-1);
      r.open = i, ++r.open_count;
    } else if (zero_copies && size.is(0)) {
      if (i >= c.rank(0)) {
        return c.error(fmt::format("its shape keeps the size of axis {}, but its input has {} axes",
                                   i, c.rank(0)));
      }
      size = c.dims(0)[i];
      r.copy(i, size);
    } else if (size.is_number() && size.value() < 0) {
      return c.error(fmt::format("its shape has the size {}", size.value()));
    } else {
      r.take(size);
    }
  }
  if (minus_ones > 1) return c.error("its shape has more than one -1");
  return r;
}

Status reshape_shape(ShapeContext& c) {
  auto known = wanted_shape(c);
  if (!known) {
    reshape_to_unknown(c);
    return {};
  }
  Dims& wanted = *known;
  if (!c.ranked(0)) {
    for (Expr& size : wanted) {
      if (is_open(size) || size.is(0)) size = c.fresh("reshaped");
    }
    c.set(0, c.dtype(0), std::move(wanted));
    return {};
  }
  const auto r = resolve(c, wanted);
  if (!r) return failure(r);
  const Expr total = elements(r->left);
  if (r->open_count > 1) {
    for (Expr& size : wanted) {
      if (is_open(size)) size = c.fresh("reshaped");
    }
  } else if (r->open_count == 1) {
    if (r->given.is(0)) return c.error("its shape has a 0 beside the size that it leaves open");
    if (auto exact = exact_div(total, r->given)) {
      wanted[r->open] = *std::move(exact);
    } else if (total.is_number() && r->given.is_number()) {
      return c.error(fmt::format("{} does not divide into its shape: {} elements by {}",
                                 strata::text(c.dims(0)), total.text(), r->given.text()));
    } else {
      wanted[r->open] = known_or_fresh(c, floor_div(total, r->given), "reshaped");
    }
  } else if (clash(total, r->given) && !r->empty) {
    return c.error(fmt::format("{} and {} differ in their number of elements",
                               strata::text(c.dims(0)), strata::text(wanted)));
  }
  set_view(c, std::move(wanted));
  return {};
}

Status flatten_shape(ShapeContext& c) {
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  const std::int64_t axis = c.integer("axis", 1);
  if (axis < -rank || axis > rank) {
    return c.error(fmt::format("axis {} does not exist in a tensor with {} axes", axis, rank));
  }
  const auto split = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  set_view(c, {product_of(c.in(0), 0, split), product_from(c.in(0), split)});
  return {};
}

// The axes became an input in version 13.
int axes_slot(const ShapeContext& c) { return c.opset() >= 13 || c.has(1) ? 1 : -1; }

Status squeeze_shape(ShapeContext& c) {
  const auto axes = axes_of(c, axes_slot(c), c.rank(0));
  if (!axes) return failure(axes);
  const Dims& dims = c.dims(0);
  if (!axes->known) {
    set_fresh(c, 0, c.dtype(0), Expr(static_cast<std::int64_t>(c.rank(0))) - length_of(c, 1),
              "squeezed");
    return {};
  }
  Dims kept;
  if (!axes->given) {
    for (const Expr& size : dims) {
      if (size.is(1)) continue;
      // If a size may turn out to be 1, even the number of axes is open.
      if (!size.is_number() && !provably_at_least(size, 2)) {
        c.set_unranked(0, c.dtype(0));
        return {};
      }
      kept.push_back(size);
    }
    set_view(c, std::move(kept));
    return {};
  }
  auto next = axes->list.begin();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (next == axes->list.end() || *next != i) {
      kept.push_back(dims[i]);
      continue;
    }
    ++next;
    if (dims[i].is_number() && !dims[i].is(1)) {
      return c.error(fmt::format("axis {} of {} cannot be squeezed: its size is not 1", i,
                                 strata::text(dims)));
    }
  }
  set_view(c, std::move(kept));
  return {};
}

Status unsqueeze_shape(ShapeContext& c) {
  const int slot = axes_slot(c);
  const Expr added =
      slot < 0 ? Expr(static_cast<std::int64_t>(c.integers("axes").size())) : length_of(c, 1);
  const Expr rank = Expr(static_cast<std::int64_t>(c.rank(0))) + added;
  if (!rank.is_number() || rank.value() > kMaxRank) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  const auto axes = axes_of(c, slot, static_cast<std::size_t>(rank.value()));
  if (!axes) return failure(axes);
  if (!axes->known) {
    set_fresh(c, 0, c.dtype(0), rank, "unsqueezed");
    return {};
  }
  if (!added.is(static_cast<std::int64_t>(axes->list.size()))) {
    return c.error("an axis is listed twice");
  }
  Dims dims;
  auto next = axes->list.begin();
  std::size_t from = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank.value()); ++i) {
    const bool is_new = next != axes->list.end() && *next == i;
    if (is_new) ++next;
    dims.push_back(is_new ? Expr(1) : c.dims(0)[from++]);
  }
  set_view(c, std::move(dims));
  return {};
}

constexpr Example kReshape[] = {
    {"f32[2,3,4], i64[2]={6,4}", "", "f32[6,4]", {.macs = 0, .flops = 0}},
    {"f32[2,3,4], i64[2]={0,-1}", "", "f32[2,12]"},
    {"f32[0,3,4], i64[3]={3,4,0}", "allowzero=1", "f32[3,4,0]"},
    {"f32[N,S,768], i64[4]={0,0,12,64}", "", "f32[N,S,12,64]"},
    {"f32[N,S,768], i64[3]={N,-1,64}", "", "f32[N,12·S,64]"},
    {"f32[N,S,768], i64[2]", "", "f32[reshaped,reshaped_2]"},
    {"f32[N,S,768], i64[1]", "", "f32[768·N·S]"},
    {"f32[?], i64[2]={6,4}", "", "f32[6,4]"},
    {"i64[3]={N,3,4}, i64[2]={1,-1}", "", "i64[1,3]={N,3,4}"},
    {"f32[2,3,4]", "shape=4,-1", "f32[4,6]", {}, 1},
};
constexpr Example kFlatten[] = {
    {"f32[2,3,4,5]", "", "f32[2,60]", {.macs = 0, .flops = 0}},
    {"f32[N,3,4,5]", "axis=0", "f32[1,60·N]"},
    {"f32[N,3,4,5]", "axis=-1", "f32[12·N,5]"},
};
constexpr Example kSqueeze[] = {
    {"f32[1,3,1,5], i64[1]={0}", "", "f32[3,1,5]", {.macs = 0, .flops = 0}},
    {"f32[1,3,1,5]", "", "f32[3,5]"},
    {"f32[1,N,1], i64[1]={-1}", "", "f32[1,N]"},
    {"f32[1,N,1]", "", "f32[?]"},
    {"f32[1,3,1,5]", "axes=0,2", "f32[3,5]", {}, 11},
    {"i64[1]={N}, i64[1]={0}", "", "i64[]={N}"},
};
constexpr Example kUnsqueeze[] = {
    {"f32[3,4,5], i64[2]={0,4}", "", "f32[1,3,4,5,1]", {.macs = 0, .flops = 0}},
    {"f32[3], i64[1]={-1}", "", "f32[3,1]"},
    {"f32[3]", "axes=0,", "f32[1,3]", {}, 11},
    {"i64[]={N}, i64[1]={0}", "", "i64[1]={N}"},
};

constexpr VersionChange kAxesToInput = {13, Rewrite::AttributesToInputs, {"axes"}};

constexpr OpRule kReshapeRules[] = {
    {.name = "Reshape",
     .since = 1,
     .shape = reshape_shape,
     .cost = view_of_input,
     .examples = kReshape,
     .settings = slots(1),
     .takes_unranked = true,
     .view = true,
     .passes_weights = true,
     .traits = {.op = Op::Reshape, .int8 = Int8Use::Passing, .copies_unordered = true}},
    {.name = "Flatten",
     .since = 1,
     .shape = flatten_shape,
     .cost = view_of_input,
     .examples = kFlatten,
     .view = true,
     .passes_weights = true,
     .traits = {.kind = LayerKind::Flatten, .int8 = Int8Use::Passing, .copies_unordered = true}},
    {.name = "Squeeze",
     .since = 1,
     .shape = squeeze_shape,
     .cost = view_of_input,
     .examples = kSqueeze,
     .settings = slots(1),
     .view = true,
     .passes_weights = true,
     .traits = {.op = Op::Squeeze, .int8 = Int8Use::Passing, .changed = &kAxesToInput}},
    {.name = "Unsqueeze",
     .since = 1,
     .shape = unsqueeze_shape,
     .cost = view_of_input,
     .examples = kUnsqueeze,
     .settings = slots(1),
     .view = true,
     .passes_weights = true,
     .traits = {.op = Op::Unsqueeze, .int8 = Int8Use::Passing, .changed = &kAxesToInput}},
};

}  // namespace

std::span<const OpRule> reshape_rules() { return kReshapeRules; }

}  // namespace strata
