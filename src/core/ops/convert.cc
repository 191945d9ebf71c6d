// Operators that pass elements on, unchanged or converted to another type. They do no arithmetic.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

// Version 1 of Cast names the type in words.
std::optional<DType> dtype_from_words(std::string_view words) {
  constexpr std::pair<std::string_view, DType> kWords[] = {
      {"FLOAT", DType::F32},   {"UINT8", DType::U8},      {"INT8", DType::I8},
      {"UINT16", DType::U16},  {"INT16", DType::I16},     {"INT32", DType::I32},
      {"INT64", DType::I64},   {"STRING", DType::String}, {"BOOL", DType::Bool},
      {"FLOAT16", DType::F16}, {"DOUBLE", DType::F64},    {"UINT32", DType::U32},
      {"UINT64", DType::U64},  {"COMPLEX64", DType::C64}, {"COMPLEX128", DType::C128},
  };
  for (const auto& [name, type] : kWords) {
    if (name == words) return type;
  }
  return std::nullopt;
}

Result<DType> target_type(const ShapeContext& c) {
  const DType in_words = dtype_from_words(c.text("to", "")).value_or(DType::Undefined);
  auto type = dtype_attribute(c, "to", in_words);
  if (type && *type == DType::Undefined) {
    return c.error("it does not say which type to convert to (attribute `to`)");
  }
  return type;
}

Status converted(ShapeContext& c, DType to) {
  TypeInfo type = c.in(0);
  type.dtype = to;
  c.set(0, std::move(type));
  const bool folds = to == DType::Bool || is_integer(to) || (is_float(to) && bits(to) >= 16);
  const Value* value = folds ? elements_of(c, 0) : nullptr;
  if (value == nullptr) return {};
  Value result{to, value->dims, {}};
  result.items.reserve(value->size());
  for (const Scalar& item : value->items) result.items.push_back(scalar::convert(item, to));
  c.set_value(0, std::move(result));
  return {};
}

Status cast(ShapeContext& c) {
  const auto to = target_type(c);
  return to ? converted(c, *to) : Status(failure(to));
}

Status cast_like(ShapeContext& c) { return converted(c, c.dtype(1)); }

// Reinterprets the bits as another type of the same width.
Status bit_cast(ShapeContext& c) {
  const auto to = target_type(c);
  if (!to) return failure(to);
  if (c.dtype(0) != DType::Undefined && bits(c.dtype(0)) != bits(*to)) {
    return c.error(fmt::format("it reinterprets {} as {}, which has another width",
                               name_of(c.dtype(0)), name_of(*to)));
  }
  TypeInfo type = c.in(0);
  type.dtype = *to;
  c.set(0, std::move(type));
  return {};
}

Status dropout(ShapeContext& c) {
  TypeInfo mask = c.in(0);
  if (c.opset() >= 10) mask.dtype = DType::Bool;
  c.set(1, std::move(mask));
  return same_as_input(c);
}

// Outside of training, it does nothing. In training (input 2, since version 12), each element takes
// a random number, a comparison and a multiplication.
void dropout_cost(CostContext& c) {
  const Value* mode = c.has(2) ? c.graph().tensors[c.node().inputs[2]].value : nullptr;
  const bool training = mode != nullptr && mode->size() == 1 && mode->items[0].whole().is(1);
  if (!training) {
    c.moves_nothing();
    if (c.has_output(1)) c.writes(bytes(c.out_elements(1), c.out(1).dtype));
    return;
  }
  c.specials({{"outputs", c.out_elements(0)}, {"random numbers each", 1}});
  c.adds({{"outputs", c.out_elements(0)}, {"comparisons each", 1}});
  c.muls({{"outputs", c.out_elements(0)}, {"muls each", 1}});
}

constexpr Example kCast[] = {
    {"f32[2,N]", "to=10", "f16[2,N]", {.macs = 0, .flops = 0}},
    {"f32[3]={-1.5,2.75,0}", "to=7", "i64[3]={-1,2,0}"},
    {"i64[2]={3,N}", "to=1", "f32[2]={3,N}"},
    {"f32[2]={0.5,0}", "to=9", "bool[2]={1,0}"},
    {"f32[2]", "to=\"INT64\"", "i64[2]", {}, 1},
};
constexpr Example kCastLike[] = {{"f32[2,3], i8[1]", "", "i8[2,3]", {.flops = 0}}};
constexpr Example kBitCast[] = {{"f32[2,3]", "to=6", "i32[2,3]", {.flops = 0}}};
constexpr Example kIdentity[] = {
    {"f32[2,N]", "", "f32[2,N]", {.macs = 0, .flops = 0}},
    {"i64[2]={3,N}", "", "i64[2]={3,N}"},
    {"seq(f32[2], f32[3])", "", "seq(f32[2], f32[3])"},
};
constexpr Example kDropout[] = {
    {"f32[2,3]", "", "f32[2,3], bool[2,3]", {.macs = 0, .flops = 0}},
    {"f32[2,3]", "ratio=0.5f", "f32[2,3], f32[2,3]", {.flops = 0}, 7},
    {"f32[2,3], f32[]={0.5}, bool[]={1}", "", "f32[2,3]", {.flops = 18}},
};

// The ratio and the seed only matter in training.
constexpr VersionChange kRatioWent = {12, Rewrite::NoAttributes};

constexpr OpRule kConvertRules[] = {
    {.name = "Cast",
     .shape = cast,
     .cost = no_arithmetic,
     .examples = kCast,
     .takes_unranked = true,
     .passes_weights = true},
    {.name = "CastLike",
     .since = 15,
     .shape = cast_like,
     .cost = no_arithmetic,
     .examples = kCastLike,
     .settings = slots(1),
     .takes_unranked = true,
     .passes_weights = true},
    {.name = "BitCast",
     .since = 26,
     .shape = bit_cast,
     .cost = view_of_input,
     .examples = kBitCast,
     .takes_unranked = true,
     .view = true,
     .passes_weights = true},
    {.name = "Identity",
     .shape = same_as_input,
     .cost = view_of_input,
     .examples = kIdentity,
     .takes_unranked = true,
     .view = true,
     .passes_weights = true,
     .traits = {.op = Op::Identity, .int8 = Int8Use::Passing}},
    {.name = "Dropout",
     .shape = dropout,
     .cost = dropout_cost,
     .examples = kDropout,
     .settings = slots(1, 2),
     .takes_unranked = true,
     .view = true,
     .traits = {.op = Op::Dropout,
                .kind = LayerKind::Dropout,
                .int8 = Int8Use::Passing,
                .int8_any_outputs = true,
                .changed = &kRatioWent}},
};

}  // namespace

std::span<const OpRule> convert_rules() { return kConvertRules; }

}  // namespace strata
