// Experimental operators of the first versions that were removed in version 10. Old files still
// contain them.
#include "ops/common.h"
#include "ops/registry.h"

namespace strata {
namespace {

// Another framework defines what it computes.
Status opaque(ShapeContext& c) {
  for (std::size_t i = 0; i < c.output_count(); ++i) c.set_unranked(i, DType::Undefined);
  return {};
}

void opaque_cost(CostContext& c) { c.cannot_tell("what it computes is not described in the file"); }

// Images N×C×H×W. With `scale`, it crops to that height and width; otherwise, it removes the
// borders (left, top, right, bottom).
Status crop(ShapeContext& c) {
  if (!c.ranked(0)) return like_input(c);
  if (c.rank(0) != 4) return c.error("its input must have four axes");
  Dims dims = c.dims(0);
  const auto scale = c.integers("scale"), border = c.integers("border");
  if (scale.size() >= 2) {
    dims[2] = scale[0];
    dims[3] = scale[1];
  } else if (border.size() == 4) {
    dims[2] -= Expr(border[1]) + border[3];
    dims[3] -= Expr(border[0]) + border[2];
  } else {
    return c.error("it says neither a size nor four borders to crop");
  }
  for (const std::size_t axis : {2u, 3u}) {
    if (dims[axis].is_number() && dims[axis].value() < 0) {
      return c.error("it crops more than there is");
    }
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void crop_cost(CostContext& c) { c.reads(bytes(c.out_elements(0), c.dtype(0))); }

// A filled tensor: its shape comes from an attribute, from the elements of the input or from the
// shape of the input, followed by some extra axes.
Status filled_with(ShapeContext& c, DType type) {
  Dims dims;
  if (!c.has(0)) {
    for (const std::int64_t size : c.integers("shape")) dims.push_back(size);
  } else if (c.integer("input_as_shape", 0) != 0) {
    auto given = dims_from_input(c, 0, "size");
    if (!given) return failure(given);
    if (!*given) {
      c.set_unranked(0, type);
      return {};
    }
    dims = **std::move(given);
  } else if (c.ranked(0)) {
    dims = c.dims(0);
  } else {
    c.set_unranked(0, type);
    return {};
  }
  for (const std::int64_t size : c.integers("extra_shape")) dims.push_back(size);
  for (const Expr& size : dims) {
    if (size.is_number() && size.value() < 0) return c.error("a size it is given is negative");
  }
  c.set(0, type, std::move(dims));
  return {};
}

Status constant_fill(ShapeContext& c) {
  const auto type = dtype_attribute(c, "dtype", DType::F32);
  return type ? filled_with(c, *type) : Status(failure(type));
}

Status given_tensor_fill(ShapeContext& c) { return filled_with(c, DType::F32); }

constexpr Example kTwo[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kThree[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 18}}};
constexpr Example kFive[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 30}}};
constexpr Example kScale[] = {{"f32[2,3]", "scale=2.0f", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kAten[] = {{"f32[2,3]", "operator=\"add\"", "?[?]"}};
constexpr Example kCrop[] = {
    {"f32[1,3,8,9]", "border=1,2,3,4", "f32[1,3,2,5]", {.macs = 0, .flops = 0}},
    {"f32[1,3,8,9]", "border=1,1,1,1 scale=4,5", "f32[1,3,4,5]"},
};
constexpr Example kFill[] = {
    {"", "shape=2,3", "f32[2,3]", {.macs = 0, .flops = 0}},
    {"i64[2]={4,5}", "input_as_shape=1 extra_shape=6,", "f32[4,5,6]"},
    {"f32[4,N]", "extra_shape=6,", "f32[4,N,6]"},
};
constexpr Example kGruUnit[] = {
    {"f32[1,2,5], f32[1,2,15], i32[2], i32[1]", "", "f32[1,2,5]", {.flops = 80}},
};

constexpr OpRule old(OpRule rule) {
  rule.until = 9;
  return rule;
}

constexpr OpRule kLegacyRules[] = {
    old(any_rank("ATen", 1, opaque, opaque_cost, kAten)),
    // alpha·x + beta
    old(any_rank("Affine", 1, like_input, work_per_output<1, 1, 0>, kTwo)),
    old(any_rank("ConstantFill", 1, constant_fill, no_arithmetic, kFill)),
    old(any_rank("Crop", 1, crop, crop_cost, kCrop)),
    // u = sigmoid(update); u·hidden + (1 - u)·tanh(output)
    old(any_rank("GRUUnit", 1, like_input, work_per_output<3, 2, 3>, kGruUnit)),
    old(any_rank("GivenTensorFill", 1, given_tensor_fill, no_arithmetic, kFill)),
    // scale·x + bias of the channel
    old(any_rank("ImageScaler", 1, like_input, work_per_output<1, 1, 0>, kTwo)),
    // alpha·log(exp(beta·x) + 1)
    old(any_rank("ParametricSoftplus", 1, like_input, work_per_output<1, 2, 2>, kFive)),
    old(any_rank("Scale", 1, like_input, muls_per_output<1>, kScale)),
    // alpha·tanh(beta·x)
    old(any_rank("ScaledTanh", 1, like_input, work_per_output<0, 2, 1>, kThree)),
};

}  // namespace

std::span<const OpRule> legacy_rules() { return kLegacyRules; }

}  // namespace strata
