// Operators that make tensors from attributes and shapes.
#include <algorithm>
#include <cmath>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

// A stored tensor as output 0: its type, and its elements if a shape may depend on them.
Status stored(ShapeContext& c, const TensorData& data) {
  for (const std::int64_t size : data.dims)
    if (size < 0) return c.error("the tensor it holds has a negative size");
  const Expr count = data.elements();
  const std::int64_t most = is_float(data.dtype) ? kMaxFoldedReals : kMaxValueElements;
  const bool few = count.is_number() && count.value() <= most;
  if (auto value = few ? decode(data) : std::nullopt) {
    c.set_value(0, *std::move(value));
    return {};
  }
  Dims dims;
  for (const std::int64_t size : data.dims) dims.push_back(size);
  c.set(0, data.dtype, std::move(dims));
  return {};
}

template <class T, class ToScalar>
Status list(ShapeContext& c, DType type, std::span<const T> items, ToScalar to_scalar) {
  const auto count = static_cast<std::int64_t>(items.size());
  c.set(0, type, {count});
  if (count > (is_float(type) ? kMaxFoldedReals : kMaxValueElements)) return {};
  Value value{type, {count}, {}};
  for (const T& item : items) value.items.push_back(to_scalar(item));
  c.set_value(0, std::move(value));
  return {};
}

Status constant(ShapeContext& c) {
  if (const TensorData* data = c.tensor("value")) return stored(c, *data);
  if (const TensorData* data = c.tensor("sparse_value")) return stored(c, *data);
  const auto real = [](float number) { return scalar::from_double(static_cast<double>(number)); };
  if (const auto number = c.integer("value_int")) {
    c.set_value(0, scalar_value(DType::I64, Scalar(*number)));
  } else if (c.has_attribute("value_ints")) {
    return list(c, DType::I64, c.integers("value_ints"),
                [](std::int64_t item) { return Scalar(item); });
  } else if (c.has_attribute("value_float")) {
    c.set_value(0, scalar_value(DType::F32, scalar::from_double(c.real("value_float", 0))));
  } else if (c.has_attribute("value_floats")) {
    return list(c, DType::F32, c.reals("value_floats"), real);
  } else if (c.has_attribute("value_string")) {
    c.set(0, DType::String, {});
  } else if (c.has_attribute("value_strings")) {
    c.set(0, DType::String, {static_cast<std::int64_t>(c.texts("value_strings").size())});
  } else {
    return c.error("it holds no value (one of the attributes `value`, `value_ints`, … is needed)");
  }
  return {};
}

// Reads nothing, because its output is stored in the file.
void constant_cost(CostContext& c) { c.moves_nothing(); }

Status constant_of_shape(ShapeContext& c) {
  const TensorData* data = c.tensor("value");
  const DType type = data != nullptr ? data->dtype : DType::F32;
  auto dims = dims_from_input(c, 0, "size");
  if (!dims) return failure(dims);
  if (!*dims) {
    c.set_unranked(0, type);
    return {};
  }
  const auto sizes = known_dims(**dims);
  c.set(0, type, **std::move(dims));
  const auto count = sizes ? small_count(*sizes) : std::nullopt;
  if (!count || (is_float(type) && *count > std::size_t{kMaxFoldedReals})) return {};
  Scalar item;
  if (data != nullptr) {
    const auto value = decode(*data);
    if (!value || value->size() != 1) return {};
    item = value->items[0];
  }
  c.set_value(0, Value{type, *sizes, Scalars(*count, item)});
  return {};
}

// ⌈(limit - start)/delta⌉ elements, but not fewer than 0.
Expr range_length(const Scalar& start, const Scalar& limit, const Scalar& delta, DType type) {
  const Scalar span = scalar::fit(scalar::subtract(limit, start), type);
  const auto whole_span = scalar::exact_whole(span), step = scalar::exact_whole(delta);
  if (whole_span && step) {
    const bool down = step->is_number() && step->value() < 0;
    const Expr length = down ? ceil_div(-*whole_span, -*step) : ceil_div(*whole_span, *step);
    return provably_at_least(length, 0) ? length : max(length, 0);
  }
  const auto distance = span.number(), each = delta.number();
  if (!distance || !each) return Expr::unknown();
  return max(Scalar::real(std::ceil(*distance / *each)).whole(), 0);
}

Status range(ShapeContext& c) {
  const DType type = c.dtype(0) != DType::Undefined ? c.dtype(0) : c.dtype(1);
  Scalar bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Value* value = c.value(i);
    if (value == nullptr || value->size() != 1) {
      c.set(0, type, {c.fresh("range")});
      return {};
    }
    bounds[i] = value->items[0];
  }
  const auto& [start, limit, delta] = bounds;
  if (delta.number() == 0.0) return c.error("its step is 0");
  const Expr length = range_length(start, limit, delta, type);
  const std::int64_t most = is_float(type) ? kMaxFoldedReals : kMaxValueElements;
  if (!length.is_number() || length.value() > most) {
    c.set(0, type, {known_or_fresh(c, length, "range")});
    return {};
  }
  Value value{type, {length.value()}, {}};
  for (std::int64_t i = 0; i < length.value(); ++i) {
    const Scalar offset = scalar::multiply(Scalar(i), delta);
    value.items.push_back(scalar::fit(scalar::add(start, offset), type));
  }
  c.set_value(0, std::move(value));
  return {};
}

// Clamps an axis, which may count from the end and be out of range, to [0, rank].
std::size_t clamped(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < 0) axis += axes;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(axis, 0, axes));
}

Status shape(ShapeContext& c) {
  if (!c.ranked(0)) {
    c.set(0, DType::I64, {c.fresh("rank")});
    return {};
  }
  const std::size_t rank = c.rank(0);
  const std::size_t first = clamped(c.integer("start", 0), rank);
  const std::size_t end = std::max(first, clamped(c.integer("end", Expr::kMaxNumber), rank));
  const std::span<const Expr> sizes = c.dims(0);
  c.set_value(0, vector_value(DType::I64, sizes.subspan(first, end - first)));
  return {};
}

Status size(ShapeContext& c) {
  if (c.ranked(0))
    c.set_value(0, scalar_value(DType::I64, c.in_elements(0)));
  else
    c.set(0, DType::I64, {});
  return {};
}

// The shape is known without the elements.
void reads_no_elements(CostContext& c) { c.reads(0); }

Status eye_like(ShapeContext& c) {
  const auto type = dtype_attribute(c, "dtype", c.dtype(0));
  if (!type) return failure(type);
  if (!c.ranked(0))
    c.set(0, *type, {c.fresh("rows"), c.fresh("columns")});
  else if (c.rank(0) != 2)
    return c.error("its input must have two axes");
  else
    c.set(0, *type, c.dims(0));
  return {};
}

constexpr Example kConstant[] = {
    {"", "value_ints=3,-1", "i64[2]={3,-1}", {.macs = 0, .flops = 0}},
    {"", "value_int=7", "i64[]={7}"},
    {"", "value_floats=0.5f,2.0f", "f32[2]={0.5,2}"},
    {"", "value_float=0.25f", "f32[]={0.25}"},
    {"", "value_string=\"a\"", "string[]"},
};
constexpr Example kConstantOfShape[] = {
    {"i64[2]={2,3}", "", "f32[2,3]={0,0,0,0,0,0}", {.macs = 0, .flops = 0}},
    {"i64[2]={N,3}", "", "f32[N,3]"},
    {"i64[0]={}", "", "f32[]={0}"},
};
constexpr Example kRange[] = {
    {"i64[]={3}, i64[]={9}, i64[]={3}", "", "i64[2]={3,6}", {.flops = 2}},
    {"i64[]={10}, i64[]={4}, i64[]={-2}", "", "i64[3]={10,8,6}"},
    {"f32[]={0}, f32[]={1}, f32[]={0.25}", "", "f32[4]={0,0.25,0.5,0.75}"},
    {"i64[]={0}, i64[]={N}, i64[]={1}", "", "i64[N]"},
    {"i64[]={5}, i64[]={2}, i64[]={1}", "", "i64[0]={}"},
};
constexpr Example kShape[] = {
    {"f32[N,3,H]", "", "i64[3]={N,3,H}", {.macs = 0, .flops = 0}},
    {"f32[N,3,224,225]", "start=-2", "i64[2]={224,225}"},
    {"f32[N,3,224,225]", "start=1 end=-1", "i64[2]={3,224}"},
    {"f32[N,3]", "start=2", "i64[0]={}"},
};
constexpr Example kSize[] = {{"f32[N,3,2]", "", "i64[]={6·N}", {.flops = 0}}};
constexpr Example kEyeLike[] = {{"f32[3,4]", "dtype=7 k=1", "i64[3,4]", {.flops = 0}}};

// Not of any file: it stands for parameters that a module owns and no node reads.
constexpr Example kUnread[] = {{"f32[2,2], f32[2]", "", "", {.macs = 0, .flops = 0}}};
Status nothing(ShapeContext&) { return {}; }

constexpr OpRule kConstantRules[] = {
    any_rank("Constant", 1, constant, constant_cost, kConstant, {.op = Op::Constant}),
    {.name = "ConstantOfShape",
     .since = 9,
     .shape = constant_of_shape,
     .cost = no_arithmetic,
     .examples = kConstantOfShape,
     .settings = slots(0),
     .takes_unranked = true},
    {.name = "Range",
     .since = 11,
     .shape = range,
     .cost = adds_per_output<1>,
     .examples = kRange,
     .settings = slots(0, 1, 2),
     .takes_unranked = true},
    any_rank("Shape", 1, shape, reads_no_elements, kShape, {.op = Op::ShapeOf}),
    any_rank("Size", 1, size, reads_no_elements, kSize),
    any_rank("EyeLike", 9, eye_like, reads_no_elements, kEyeLike),
    {.name = "Unread",
     .domain = "strata",
     .shape = nothing,
     .cost = reads_no_elements,
     .examples = kUnread,
     .takes_unranked = true},
};

}  // namespace

std::span<const OpRule> constant_rules() { return kConstantRules; }

}  // namespace strata
