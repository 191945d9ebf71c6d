// Lists of tensors, and optional tensors.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/types.h"

namespace strata {

namespace {

Status construct_shape(ShapeContext& c) {
  std::vector<TypeInfo> items;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    if (c.has(i)) items.push_back(element_of(c.in(i)));
  }
  c.set(0, sequence_of(std::move(items)));
  return {};
}

Status empty_shape(ShapeContext& c) {
  const auto dtype = dtype_from_onnx(c.integer("dtype", static_cast<std::int64_t>(DType::F32)));
  TypeInfo type = sequence_of({});
  type.dtype = dtype.value_or(DType::Undefined);
  c.set(0, std::move(type));
  return {};
}

// Input `slot` as a position in a list of `count`; `otherwise` if it is left out; nullopt if it is
// unknown.
Result<std::optional<std::size_t>> place_of(ShapeContext& c, std::size_t slot, std::size_t count,
                                            std::size_t otherwise) {
  if (!c.has(slot)) return otherwise;
  const auto place = c.scalar_of(slot);
  if (!place || !place->is_number()) return std::nullopt;
  const auto size = static_cast<std::int64_t>(count);
  if (place->value() < -size || place->value() > size) {
    return c.error(fmt::format("position {} is outside of a sequence of {}", place->text(), size));
  }
  return static_cast<std::size_t>(place->value() < 0 ? place->value() + size : place->value());
}

Status insert_shape(ShapeContext& c) {
  const TypeInfo& sequence = c.in(0);
  const bool followed = sequence.items && sequence.items->size() < kMaxItems;
  if (followed) {
    const std::size_t count = sequence.items->size();
    const auto place = place_of(c, 2, count, count);
    if (!place) return failure(place);
    if (*place) {
      std::vector<TypeInfo> items = *sequence.items;
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(**place), element_of(c.in(1)));
      TypeInfo type = sequence_of(std::move(items));
      if (type.dtype == DType::Undefined) type.dtype = sequence.dtype;
      c.set(0, std::move(type));
      return {};
    }
  }
  const bool empty = sequence.items && sequence.items->empty();
  TypeInfo element = element_of(c.in(1));
  if (!empty) element = common_type(element_of(sequence), element);
  c.set(0, wrapped(std::move(element), ValueKind::Sequence));
  return {};
}

Status erase_shape(ShapeContext& c) {
  const TypeInfo& sequence = c.in(0);
  if (sequence.items && !sequence.items->empty()) {
    const std::size_t count = sequence.items->size();
    const auto place = place_of(c, 1, count, count - 1);
    if (!place) return failure(place);
    if (*place && **place < count) {
      std::vector<TypeInfo> items = *sequence.items;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(**place));
      TypeInfo type = sequence_of(std::move(items));
      type.dtype = sequence.dtype;
      c.set(0, std::move(type));
      return {};
    }
  }
  c.set(0, wrapped(element_of(sequence), ValueKind::Sequence));
  return {};
}

Status at_shape(ShapeContext& c) {
  const TypeInfo& sequence = c.in(0);
  TypeInfo element = element_of(sequence);
  if (sequence.items && c.has(1)) {
    const auto place = place_of(c, 1, sequence.items->size(), 0);
    if (!place) return failure(place);
    if (*place && **place < sequence.items->size()) element = (*sequence.items)[**place];
  }
  name_unknown_sizes(c, element, "element");
  c.set(0, std::move(element));
  return {};
}

Status length_shape(ShapeContext& c) {
  if (!c.in(0).items) {
    c.set(0, DType::I64, {});
    return {};
  }
  const auto count = static_cast<std::int64_t>(c.in(0).items->size());
  c.set_value(0, scalar_value(DType::I64, count));
  return {};
}

// The sizes of the parts along the axis; nullopt if they are unknown or too many.
Result<std::optional<Dims>> parts_of(ShapeContext& c, const Expr& whole) {
  const Value* split = c.has(1) ? c.value(1) : nullptr;
  if (c.has(1) && split == nullptr) return std::nullopt;
  Dims sizes;
  if (split != nullptr && split->dims.size() == 1) {
    for (const Scalar& size : split->items) sizes.push_back(size.whole());
    Expr sum = 0;
    for (const Expr& size : sizes) sum += size;
    if (clash(sum, whole)) {
      return c.error(fmt::format("parts of {} in all do not make up {}", sum.text(), whole.text()));
    }
    if (sizes.size() > kMaxItems) return std::nullopt;
    return sizes;
  }
  const Expr part = split != nullptr && split->size() == 1 ? split->items[0].whole() : Expr(1);
  if (!part.is_number() || !whole.is_number()) return std::nullopt;
  if (part.value() < 1) return c.error(fmt::format("a part cannot have the size {}", part.text()));
  if (ceil_div(whole, part).value() > static_cast<std::int64_t>(kMaxItems)) return std::nullopt;
  for (Expr left = whole; left.value() > 0; left -= part) sizes.push_back(min(left, part));
  return sizes;
}

Status split_to_sequence_shape(ShapeContext& c) {
  if (!c.ranked(0)) {
    c.set(0, wrapped(TypeInfo::unranked(c.dtype(0)), ValueKind::Sequence));
    return {};
  }
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  const auto sizes = parts_of(c, c.dims(0)[*axis]);
  if (!sizes) return failure(sizes);
  const bool drops_axis = !c.has(1) && c.integer("keepdims", 1) == 0;
  TypeInfo part = TypeInfo::tensor(c.dtype(0), c.dims(0));
  // The size of parts is known to be one even if their number is not known.
  part.dims[*axis] = c.has(1) ? Expr::unknown() : Expr(1);
  if (drops_axis) part.dims.erase(*axis);
  if (!*sizes) {
    c.set(0, wrapped(std::move(part), ValueKind::Sequence));
    return {};
  }
  std::vector<TypeInfo> items;
  for (const Expr& size : **sizes) {
    if (!drops_axis) part.dims[*axis] = known_or_fresh(c, size, "part");
    items.push_back(part);
  }
  TypeInfo type = sequence_of(std::move(items));
  type.dtype = c.dtype(0);
  c.set(0, std::move(type));
  return {};
}

Status concat_from_sequence_shape(ShapeContext& c) {
  const TypeInfo& sequence = c.in(0);
  if (!sequence.ranked) {
    c.set_unranked(0, sequence.dtype);
    return {};
  }
  const bool stacks = c.integer("new_axis", 0) != 0;
  Dims dims = sequence.dims;
  const auto axis = c.axis(c.integer("axis", 0), dims.size() + (stacks ? 1 : 0));
  if (!axis) return failure(axis);
  Expr size = Expr::unknown();
  if (sequence.items) {
    size = stacks ? Expr(static_cast<std::int64_t>(sequence.items->size())) : Expr(0);
    if (!stacks) {
      for (const TypeInfo& item : *sequence.items) size += size_at(item, *axis);
    }
  }
  if (stacks)
    dims.insert(*axis, size);
  else
    dims[*axis] = size;
  TypeInfo type = TypeInfo::tensor(sequence.dtype, std::move(dims));
  name_unknown_sizes(c, type, "joined");
  c.set(0, std::move(type));
  return {};
}

ValueKind optional_kind(const TypeInfo& element) {
  return element.kind == ValueKind::Sequence ? ValueKind::OptionalSequence : ValueKind::Optional;
}

Status optional_shape(ShapeContext& c) {
  TypeInfo element = c.in(0);
  if (!c.has(0)) {
    const Attribute* type = c.node().attribute("type");
    const auto* info = type != nullptr ? std::get_if<const TypeInfo*>(&type->value) : nullptr;
    if (info != nullptr && *info != nullptr) element = **info;
  }
  const ValueKind kind = optional_kind(element);
  c.set(0, wrapped(std::move(element), kind));
  return {};
}

Status get_element_shape(ShapeContext& c) {
  if (c.in(0).kind == ValueKind::Tensor) return same_as_input(c);
  const bool is_list =
      c.in(0).kind == ValueKind::OptionalSequence || c.in(0).kind == ValueKind::Sequence;
  c.set(0, wrapped(c.in(0), is_list ? ValueKind::Sequence : ValueKind::Tensor));
  return {};
}

// Tells whether input 0 is present; nullopt if that is only known at run time.
std::optional<bool> is_there(const ShapeContext& c) {
  if (!c.has(0)) return false;
  const ValueKind kind = c.in(0).kind;
  if (kind != ValueKind::Optional && kind != ValueKind::OptionalSequence) return true;
  const Tensor& input = c.graph().tensors[c.node().inputs[0]];
  if (input.producer >= c.graph().nodes.size()) return std::nullopt;
  const Node& producer = c.graph().nodes[input.producer];
  if (producer.op != "Optional" || !producer.domain.empty()) return std::nullopt;
  return !producer.inputs.empty() && producer.inputs[0] != kNone;
}

Status has_element_shape(ShapeContext& c) {
  if (const auto there = is_there(c)) {
    c.set_value(0, scalar_value(DType::Bool, static_cast<std::int64_t>(*there)));
  } else {
    c.set(0, DType::Bool, {});
  }
  return {};
}

// Takes one tensor out of many: only that one is read.
void at_cost(CostContext& c) { c.reads(bytes(c.out_elements(0), c.out(0).dtype)); }

constexpr Example kConstruct[] = {
    {"f32[2,3], f32[N]", "", "seq(f32[2,3], f32[N])", {.macs = 0, .flops = 0}},
};
constexpr Example kEmpty[] = {{"", "", "seq()", {.macs = 0, .flops = 0}}};
constexpr Example kInsert[] = {
    {"seq(f32[2], f32[3]), f32[4]", "", "seq(f32[2], f32[3], f32[4])", {.macs = 0, .flops = 0}},
    {"seq(f32[2], f32[3]), f32[4], i64[]={-1}", "", "seq(f32[2], f32[4], f32[3])"},
    {"seq(f32[2], f32[3]), f32[4], i64[]", "", "seq(f32…)"},
};
constexpr Example kErase[] = {
    {"seq(f32[2], f32[3]), i64[]={0}", "", "seq(f32[3])", {.macs = 0, .flops = 0}},
    {"seq(f32[2], f32[3])", "", "seq(f32[2])"},
};
constexpr Example kAt[] = {
    {"seq(f32[2], f32[3]), i64[]={-1}", "", "f32[3]", {.macs = 0, .flops = 0}},
};
constexpr Example kLength[] = {
    {"seq(f32[2], f32[3])", "", "i64[]={2}", {.macs = 0, .flops = 0}},
};
constexpr Example kSplitToSequence[] = {
    {"f32[5,4], i64[]={2}", "", "seq(f32[2,4], f32[2,4], f32[1,4])", {.macs = 0, .flops = 0}},
    {"f32[N,5], i64[2]={2,3}", "axis=1", "seq(f32[N,2], f32[N,3])"},
    {"f32[2,4]", "", "seq(f32[1,4], f32[1,4])"},
    {"f32[2,4]", "keepdims=0", "seq(f32[4], f32[4])"},
    {"f32[N,4]", "", "seq(f32…)"},
};
constexpr Example kConcatFromSequence[] = {
    {"seq(f32[2,4], f32[N,4])", "axis=0", "f32[N + 2,4]", {.macs = 0, .flops = 0}},
    {"seq(f32[2,4], f32[2,4], f32[2,4])", "axis=-1 new_axis=1", "f32[2,4,3]"},
};
constexpr Example kOptional[] = {
    {"f32[2,N]", "", "optional f32[2,N]", {.macs = 0, .flops = 0}},
};
constexpr Example kGetElement[] = {
    {"f32[2,N]", "", "f32[2,N]", {.macs = 0, .flops = 0}},
};
constexpr Example kHasElement[] = {
    {"f32[2,N]", "", "bool[]={1}", {.macs = 0, .flops = 0}},
    {"_", "", "bool[]={0}"},
};

constexpr OpRule kSequenceRules[] = {
    {.name = "SequenceConstruct",
     .since = 11,
     .shape = construct_shape,
     .cost = no_arithmetic,
     .examples = kConstruct,
     .takes_unranked = true},
    {.name = "SequenceEmpty",
     .since = 11,
     .shape = empty_shape,
     .cost = no_arithmetic,
     .examples = kEmpty,
     .takes_unranked = true},
    {.name = "SequenceInsert",
     .since = 11,
     .shape = insert_shape,
     .cost = no_arithmetic,
     .examples = kInsert,
     .settings = slots(2),
     .takes_unranked = true},
    {.name = "SequenceErase",
     .since = 11,
     .shape = erase_shape,
     .cost = no_arithmetic,
     .examples = kErase,
     .settings = slots(1),
     .takes_unranked = true},
    {.name = "SequenceAt",
     .since = 11,
     .shape = at_shape,
     .cost = at_cost,
     .examples = kAt,
     .settings = slots(1),
     .takes_unranked = true},
    {.name = "SequenceLength",
     .since = 11,
     .shape = length_shape,
     .cost = no_arithmetic,
     .examples = kLength,
     .takes_unranked = true},
    {.name = "SplitToSequence",
     .since = 11,
     .shape = split_to_sequence_shape,
     .cost = no_arithmetic,
     .examples = kSplitToSequence,
     .settings = slots(1),
     .takes_unranked = true},
    {.name = "ConcatFromSequence",
     .since = 11,
     .shape = concat_from_sequence_shape,
     .cost = no_arithmetic,
     .examples = kConcatFromSequence,
     .takes_unranked = true},
    {.name = "Optional",
     .since = 15,
     .shape = optional_shape,
     .cost = view_of_input,
     .examples = kOptional,
     .takes_unranked = true,
     .view = true},
    {.name = "OptionalGetElement",
     .since = 15,
     .shape = get_element_shape,
     .cost = view_of_input,
     .examples = kGetElement,
     .takes_unranked = true,
     .view = true},
    {.name = "OptionalHasElement",
     .since = 15,
     .shape = has_element_shape,
     .cost = no_arithmetic,
     .examples = kHasElement,
     .takes_unranked = true},
};

}  // namespace

std::span<const OpRule> sequence_rules() { return kSequenceRules; }

}  // namespace strata
