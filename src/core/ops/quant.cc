// Quantized arithmetic in ONNX's own domain.
#include "ops/quant.h"

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/conv.h"
#include "ops/matmul.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// A scale is one number, one per index of `axis`, or one per block along it.
Status check_scale(ShapeContext& c) {
  if (!c.has(1) || !c.ranked(1) || c.rank(1) == 0 || c.in_elements(1).is(1)) return {};
  const auto axis = c.axis(c.integer("axis", 1), c.rank(0));
  if (!axis) return failure(axis);
  const Expr& size = c.dims(0)[*axis];
  const std::int64_t block = c.integer("block_size", 0);
  if (block < 0) return c.error(fmt::format("block_size {} is below 0", block));
  const bool blocked = block > 0;
  const Expr wanted = blocked ? ceil_div(size, block) : size;
  if (c.rank(1) != (blocked ? c.rank(0) : 1) || clash(c.dims(1)[blocked ? *axis : 0], wanted)) {
    return c.error(fmt::format("scales of shape {} do not fit {} along axis {}",
                               strata::text(c.dims(1)), strata::text(c.dims(0)), *axis));
  }
  return {};
}

// Attribute output_dtype, if it names a type.
DType asked_dtype(const ShapeContext& c, DType otherwise) {
  const auto dtype = dtype_from_onnx(c.integer("output_dtype", 0));
  return dtype && *dtype != DType::Undefined ? *dtype : otherwise;
}

Status quantize_shape(ShapeContext& c) {
  if (auto status = check_scale(c); !status) return status;
  const DType dtype = c.has(2) ? c.dtype(2) : asked_dtype(c, DType::U8);
  c.set(0, dtype, c.dims(0));
  return {};
}

Status dequantize_shape(ShapeContext& c) {
  if (auto status = check_scale(c); !status) return status;
  const DType scale = c.has(1) && c.dtype(1) != DType::Undefined ? c.dtype(1) : DType::F32;
  c.set(0, asked_dtype(c, scale), c.dims(0));
  return {};
}

void quantize_cost(CostContext& c) { quantize_work(c, c.in_elements(0), c.has(2)); }
void dequantize_cost(CostContext& c) { dequantize_work(c, c.in_elements(0), c.has(2)); }

Status dynamic_quantize_shape(ShapeContext& c) {
  c.set(0, DType::U8, c.dims(0));
  c.set(1, DType::F32, {});
  c.set(2, DType::U8, {});
  return {};
}

// Finds the range, then quantizes. The scale itself is a single number and not counted.
void dynamic_quantize_cost(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"least and greatest", 2}});
  quantize_work(c, c.in_elements(0), true);
}

Status qlinear_conv_shape(ShapeContext& c) {
  auto dims = conv_dims(c, 0, 3);
  if (!dims) return failure(dims);
  c.set(0, c.has(7) ? c.dtype(7) : c.dtype(0), *std::move(dims));
  return {};
}

void qlinear_conv_cost(CostContext& c) {
  conv_macs(c, 3);
  bias_adds(c, 8);
  if (c.has(2)) c.adds({{"data less zero point", c.in_elements(0)}});
  if (c.has(5)) c.adds({{"weights less zero point", c.in_elements(3)}});
  requantize_work(c, c.out_elements(0));
}

Status qlinear_matmul_shape(ShapeContext& c) {
  auto dims = matmul_dims(c, c.dims(0), c.dims(3));
  if (!dims) return failure(dims);
  c.set(0, c.has(7) ? c.dtype(7) : c.dtype(0), *std::move(dims));
  return {};
}

void qlinear_matmul_cost(CostContext& c) {
  matmul_macs(c, 0, 3);
  if (c.has(2)) c.adds({{"A less zero point", c.in_elements(0)}});
  if (c.has(5)) c.adds({{"B less zero point", c.in_elements(3)}});
  requantize_work(c, c.out_elements(0));
}

constexpr Example kQuantize[] = {
    // 24 elements: division, rounding, two comparisons, addition.
    {"f32[2,3,4], f32[], u8[]", "", "u8[2,3,4]", {.macs = 0, .flops = 120}},
    {"f32[2,3,4], f32[3], i8[3]", "axis=1", "i8[2,3,4]"},
    {"f32[2,3,4], f32[]", "", "u8[2,3,4]", {.macs = 0, .flops = 96}},
    {"f32[2,64], f32[2,4]", "axis=-1 block_size=16 output_dtype=22", "i4[2,64]"},
};
constexpr Example kDequantize[] = {
    {"u8[2,3,4], f32[], u8[]", "", "f32[2,3,4]", {.macs = 0, .flops = 48}},
    {"i8[N,8], f16[]", "", "f16[N,8]"},
    {"i4[64,32], f16[4,32]", "axis=0 block_size=16 output_dtype=1", "f32[64,32]"},
};
constexpr Example kDynamicQuantize[] = {
    {"f32[3,4]", "", "u8[3,4], f32[], u8[]", {.macs = 0, .flops = 84}},
};
constexpr Example kQLinearConv[] = {
    // 49 outputs with one MAC and five operations; 49 inputs and one weight minus their zero
    // points.
    {"u8[1,1,7,7], f32[], u8[], u8[1,1,1,1], f32[1], u8[1], f32[], u8[]",
     "",
     "u8[1,1,7,7]",
     {.macs = 49, .flops = 393}},
    {"u8[N,3,8,8], f32[], u8[], i8[16,3,3,3], f32[16], i8[16], f32[], i8[], i32[16]",
     "pads=1,1,1,1 strides=2,2", "i8[N,16,4,4]"},
};
constexpr Example kQLinearMatMul[] = {
    // 6 outputs with 4 MACs and five operations; 8 + 12 factors minus their zero points.
    {"u8[2,4], f32[], u8[], u8[4,3], f32[], u8[], f32[], u8[]",
     "",
     "u8[2,3]",
     {.macs = 24, .flops = 98}},
};

constexpr OpRule kQuantRules[] = {
    {.name = "QuantizeLinear",
     .since = 10,
     .shape = quantize_shape,
     .cost = quantize_cost,
     .examples = kQuantize,
     .settings = slots(1, 2),
     .traits = {.quantized = Quantized::Quantizes}},
    {.name = "DequantizeLinear",
     .since = 10,
     .shape = dequantize_shape,
     .cost = dequantize_cost,
     .examples = kDequantize,
     .settings = slots(1, 2),
     .passes_weights = true,
     .traits = {.quantized = Quantized::Dequantizes}},
    {.name = "DynamicQuantizeLinear",
     .since = 11,
     .shape = dynamic_quantize_shape,
     .cost = dynamic_quantize_cost,
     .examples = kDynamicQuantize,
     .traits = {.quantized = Quantized::Quantizes}},
    {.name = "QLinearConv",
     .since = 10,
     .shape = qlinear_conv_shape,
     .cost = qlinear_conv_cost,
     .examples = kQLinearConv,
     .settings = slots(1, 2, 4, 5, 6, 7),
     .traits = {.kind = LayerKind::Conv,
                .product = Product::Conv,
                .weights = 3,
                .bias = 8,
                .quantized = Quantized::Computes,
                .attributes = kConvAttributes}},
    {.name = "QLinearMatMul",
     .since = 10,
     .shape = qlinear_matmul_shape,
     .cost = qlinear_matmul_cost,
     .examples = kQLinearMatMul,
     .settings = slots(1, 2, 4, 5, 6, 7),
     .traits = {.kind = LayerKind::MatMul,
                .kind_with_weights = LayerKind::Linear,
                .product = Product::MatMul,
                .weights = 3,
                .quantized = Quantized::Computes}},
};

}  // namespace

void quantize_work(CostContext& c, const Expr& count, bool zero_point) {
  c.specials({{"elements", count}, {"division and rounding", 2}});
  c.adds({{"elements", count}, {"zero point and two ends of the range", zero_point ? 3 : 2}});
}

void dequantize_work(CostContext& c, const Expr& count, bool zero_point) {
  if (zero_point) c.adds({{"elements less zero point", count}});
  c.muls({{"elements by scale", count}});
}

void requantize_work(CostContext& c, const Expr& count) {
  c.muls({{"outputs by scale", count}});
  c.specials({{"outputs rounded", count}});
  c.adds({{"outputs", count}, {"zero point and two ends of the range", 3}});
}

std::span<const OpRule> quant_rules() { return kQuantRules; }

}  // namespace strata
