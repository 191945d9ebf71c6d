// ONNX Runtime's quantization: to and from 8 bits and block formats, and operators whose products
// are computed in integers.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/matmul.h"
#include "ops/part.h"
#include "ops/quant.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// ---- To and from integers.

Status quantize(ShapeContext& c) {
  c.set(0, c.has(2) ? c.dtype(2) : DType::U8, c.dims(0));
  return {};
}
void quantize_cost(CostContext& c) { quantize_work(c, c.in_elements(0), c.has(2)); }

Status dequantize(ShapeContext& c) {
  c.set(0, c.dtype(1), c.dims(0));
  return {};
}
void dequantize_cost(CostContext& c) { dequantize_work(c, c.in_elements(0), c.has(2)); }

Result<DType> type_attribute(const ShapeContext& c, std::string_view name) {
  const std::int64_t number = c.integer(name, 1);
  if (const auto dtype = dtype_from_onnx(number)) return *dtype;
  return c.error(fmt::format("attribute {} is {}, which is not a type", name, number));
}

// The elements have another order in memory; shapes are those of the row-major order.
Status quantize_ordered(ShapeContext& c) {
  c.set(0, DType::I8, c.dims(0));
  return {};
}
Status dequantize_ordered(ShapeContext& c) {
  const auto dtype = type_attribute(c, "to");
  if (!dtype) return failure(dtype);
  c.set(0, *dtype, c.dims(0));
  return {};
}

// Blocks that share an exponent, as bytes, and the shape and strides of the input. The number of
// bytes depends on the kind of block.
Status quantize_blocks(ShapeContext& c) {
  c.set(0, DType::U8, {c.fresh("bytes")});
  const Dims& dims = c.dims(0);
  std::vector<Expr> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  c.set_value(1, vector_value(DType::I64, dims));
  c.set_value(2, vector_value(DType::I64, strides));
  return {};
}

Status dequantize_blocks(ShapeContext& c) {
  const auto dtype = type_attribute(c, "dtype");
  if (!dtype) return failure(dtype);
  auto dims = dims_from_input(c, 1, "size");
  if (!dims) return failure(dims);
  if (*dims)
    c.set(0, *dtype, std::move(**dims));
  else
    c.set_unranked(0, *dtype);
  return {};
}

// One shift of the mantissa per element.
void blocks_cost(CostContext& c) {
  const std::size_t real = c.node().op == "QuantizeBFP" ? 0 : 1;
  c.muls({{"elements", real == 0 ? c.in_elements(0) : c.out_elements(0)}, {"scale", 1}});
}

// ---- Products.

// A and B are inputs 0 and `b`.
template <std::size_t b>
Result<Dims> product_dims(ShapeContext& c) {
  return matmul_dims(c, c.dims(0), c.dims(b));
}

Status matmul_16(ShapeContext& c) {
  auto dims = product_dims<1>(c);
  if (!dims) return failure(dims);
  const bool is_unsigned = c.dtype(0) == DType::U16 && c.dtype(1) == DType::U16;
  c.set(0, is_unsigned ? DType::U32 : DType::I32, std::move(*dims));
  return {};
}
void matmul_cost(CostContext& c) { matmul_macs(c, 0, 1); }

// A, B, their scales, their zero points, bias. The result has the type of the scales.
Status matmul_to_float(ShapeContext& c) {
  auto dims = product_dims<1>(c);
  if (!dims) return failure(dims);
  c.set(0, c.dtype(2), std::move(*dims));
  return {};
}

void matmul_to_float_cost(CostContext& c) {
  matmul_macs(c, 0, 1);
  if (c.has(4)) c.adds({{"A less zero point", c.in_elements(0)}});
  if (c.has(5)) c.adds({{"B less zero point", c.in_elements(1)}});
  c.muls({{"outputs", c.out_elements(0)}, {"scale", 1}});
  if (c.has(6)) c.adds({{"outputs", c.out_elements(0)}, {"bias", 1}});
}

// A is first converted to 8 bits, with a scale from its own range.
void dynamic_matmul_cost(CostContext& c) {
  add_work(c, {"DynamicQuantizeLinear", {input_of(c, 0)}},
           {{TypeInfo::tensor(DType::U8, c.dims(0))}});
  matmul_macs(c, 0, 1);
  if (c.has(3)) c.adds({{"B less zero point", c.in_elements(1)}});
  c.muls({{"outputs", c.out_elements(0)}, {"scale", 1}});
  if (c.has(4)) c.adds({{"outputs", c.out_elements(0)}, {"bias", 1}});
}

Status dynamic_matmul(ShapeContext& c) {
  auto dims = product_dims<1>(c);
  if (!dims) return failure(dims);
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

// A and B with scale and zero point, C, then scale and zero point of the result; without those, the
// result is real.
Part gemm_part(const NodeView& c) {
  return {"Gemm", {input_of(c, 0), input_of(c, 3), input_of(c, 6)}, c.node().attributes};
}

Status gemm(ShapeContext& c) {
  auto type = type_of(c, gemm_part(c));
  if (!type) return failure(type);
  type->dtype = c.has(8) ? c.dtype(8) : c.has(7) ? DType::U8 : DType::F32;
  c.set(0, std::move(*type));
  return {};
}

// alpha is part of the scale that converts sums of integers to the result.
void gemm_cost(CostContext& c) {
  const bool trans_a = c.integer("transA", 0) != 0;
  c.macs({{"outputs", c.out_elements(0)}, {"columns of A", size_at(c.in(0), trans_a ? 0 : 1)}});
  if (c.has(6)) c.adds({{"outputs plus C", c.out_elements(0)}});
  if (c.has(2)) c.adds({{"A less zero point", c.in_elements(0)}});
  if (c.has(5)) c.adds({{"B less zero point", c.in_elements(3)}});
  if (c.has(7))
    requantize_work(c, c.out_elements(0));
  else
    c.muls({{"outputs", c.out_elements(0)}, {"scale", 1}});
}

Status ordered_matmul(ShapeContext& c) {
  auto dims = product_dims<2>(c);
  if (!dims) return failure(dims);
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

void ordered_matmul_cost(CostContext& c) {
  matmul_macs(c, 0, 2);
  c.muls({{"outputs", c.out_elements(0)}, {"scale", 1}});
  if (c.has(5)) c.adds({{"outputs", c.out_elements(0)}, {"bias", 1}});
  if (c.has(6)) {
    c.muls({{"outputs", c.out_elements(0)}, {"scale of C", 1}});
    c.adds({{"outputs", c.out_elements(0)}, {"C", 1}});
  }
}

// Like LSTM, but W and R are transposed and 8-bit.
Part lstm_part(const NodeView& c) {
  Part part{"LSTM", {}, c.node().attributes, 14, 3};
  for (std::size_t i = 0; i < 8; ++i) part.inputs.push_back(input_of(c, i));
  for (std::size_t i = 1; i < 3; ++i)
    if (Dims& dims = part.inputs[i].type.edit().dims; dims.size() == 3) std::swap(dims[1], dims[2]);
  return part;
}

Status dynamic_lstm(ShapeContext& c) {
  auto outputs = outputs_of(c, lstm_part(c));
  if (!outputs) return failure(outputs);
  for (std::size_t i = 0; i < 3; ++i) c.set(i, (*outputs)[i].type);
  return {};
}

void dynamic_lstm_cost(CostContext& c) {
  add_work(c, lstm_part(c), std::vector<TypeInfo>{c.out(0), c.out(1), c.out(2)});
}

// ---- Others.

// (A - zero point) · (B - zero point), inputs 0 and 2.
Status multiply(ShapeContext& c) {
  auto dims = c.broadcast(c.dims(0), c.dims(2));
  if (!dims) return failure(dims);
  c.set(0, DType::I32, std::move(*dims));
  return {};
}

void multiply_cost(CostContext& c) {
  if (c.has(1)) c.adds({{"A less zero point", c.in_elements(0)}});
  if (c.has(3)) c.adds({{"B less zero point", c.in_elements(2)}});
  c.muls({{"outputs", c.out_elements(0)}});
}

Part sum_part(const NodeView& c) {
  return {"ReduceSum", {input_of(c, 0)}, c.node().attributes, 11};
}

Status reduce_sum(ShapeContext& c) {
  auto type = type_of(c, sum_part(c));
  if (!type) return failure(type);
  type->dtype = c.dtype(0) == DType::U8 ? DType::U32 : DType::I32;
  c.set(0, std::move(*type));
  return {};
}
void reduce_sum_cost(CostContext& c) { add_work(c, sum_part(c), {{c.out(0)}}); }

void ordered_gelu_cost(CostContext& c) {
  dequantize_work(c, c.in_elements(0), false);
  add_elementwise(c, "Gelu", c.in_elements(0), 20);
  quantize_work(c, c.in_elements(0), false);
}

void ordered_layer_norm_cost(CostContext& c) {
  dequantize_work(c, c.in_elements(0), false);
  add_work(
      c,
      {"LayerNormalization", {input_of(c, 0), input_of(c, 2), input_of(c, 3)}, c.node().attributes},
      {{c.out(0)}});
  quantize_work(c, c.in_elements(0), false);
}

constexpr Example kQuantize[] = {
    {"f32[2,8], f32[], i16[]", "", "i16[2,8]", {.macs = 0}},
    {"f32[2,8], f32[]", "", "u8[2,8]"},
};
constexpr Example kDequantize[] = {
    {"i8[2,8], f32[8], i8[8]", "axis=1", "f32[2,8]", {.macs = 0}},
    {"u4[N,8], f16[]", "", "f16[N,8]"},
};
constexpr Example kQuantizeOrdered[] = {
    {"f16[2,8], f32[]", "order_input=1 order_output=2", "i8[2,8]"},
};
constexpr Example kDequantizeOrdered[] = {
    {"i8[2,8], f32[]", "order_input=2 order_output=1 to=10", "f16[2,8]"},
};
constexpr Example kQuantizeBlocks[] = {
    {"f32[3,16]", "bfp_type=1", "u8[bytes], i64[2]={3,16}, i64[2]={16,1}", {.flops = 48}},
};
constexpr Example kDequantizeBlocks[] = {
    {"u8[60], i64[2]={3,16}, i64[2]={16,1}", "bfp_type=1 dtype=10", "f16[3,16]", {.flops = 48}},
};
constexpr Example kMatMul16[] = {
    {"i16[4,8], i16[8,2]", "", "i32[4,2]", {.macs = 64, .flops = 128}},
    {"u16[4,8], u16[8,2]", "", "u32[4,2]"},
};
constexpr Example kMatMulToFloat[] = {
    {"u8[4,8], i8[8,2], f32[], f32[], u8[], i8[], f32[2]",
     "",
     "f32[4,2]",
     {.macs = 64, .flops = 128 + 32 + 16 + 8 + 8}},
};
constexpr Example kDynamicMatMul[] = {
    {"f32[1,128,768], i8[768,768], f32[], i8[], f32[768]",
     "",
     "f32[1,128,768]",
     {.macs = 75497472}},
};
constexpr Example kGemm[] = {
    {"u8[4,8], f32[], u8[], i8[2,8], f32[], i8[], i32[2], f32[], u8[]",
     "transB=1",
     "u8[4,2]",
     {.macs = 64}},
    {"u8[4,8], f32[], u8[], i8[8,2], f32[], i8[]",
     "",
     "f32[4,2]",
     {.macs = 64, .flops = 128 + 32 + 16 + 8}},
};
constexpr Example kOrderedMatMul[] = {
    {"i8[1,4,8], f32[], i8[8,2], f32[], f32[], f32[2]",
     "order_A=1 order_B=0 order_Y=1",
     "i8[1,4,2]",
     {.macs = 64, .flops = 144}},
};
// 30 hidden values with 4 gates of 9 products, as in LSTM.
constexpr Example kLstm[] = {
    {"f32[2,3,4], i8[1,4,20], i8[1,5,20], _, _, _, _, _, f32[1], i8[1], f32[1], i8[1]",
     "hidden_size=5",
     "f32[2,1,3,5], f32[1,3,5], f32[1,3,5]",
     {.macs = 1080}},
};
constexpr Example kMultiply[] = {
    {"u8[2,3], u8[], u8[3]", "", "i32[2,3]", {.macs = 0, .flops = 12}},
};
constexpr Example kReduceSum[] = {
    {"u8[2,8,4]", "axes=1, keepdims=0", "u32[2,4]", {.macs = 0}},
    {"i8[2,8,4]", "axes=1,2 keepdims=1", "i32[2,1,1]"},
};
constexpr Example kOrderedGelu[] = {{"i8[2,8], f32[], f32[]", "", "i8[2,8]", {.macs = 0}}};
constexpr Example kOrderedLayerNorm[] = {
    {"i8[1,4,8], f32[], f32[8], f32[8], f32[]", "", "i8[1,4,8]", {.macs = 0}},
};

constexpr OpRule row(std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, std::uint32_t settings,
                     bool passes_weights = false) {
  return {.name = name,
          .domain = kMicrosoft,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .settings = settings,
          .passes_weights = passes_weights};
}

constexpr Traits kWhole = {.quantized = Quantized::Computes};

constexpr OpRule kMicrosoftQuantRules[] = {
    with_traits(row("QuantizeLinear", quantize, quantize_cost, kQuantize, slots(1, 2)),
                {.quantized = Quantized::Quantizes}),
    with_traits(
        row("DequantizeLinear", dequantize, dequantize_cost, kDequantize, slots(1, 2), true),
        {.quantized = Quantized::Dequantizes}),
    row("QuantizeWithOrder", quantize_ordered, quantize_cost, kQuantizeOrdered, slots(1)),
    row("DequantizeWithOrder", dequantize_ordered, dequantize_cost, kDequantizeOrdered, slots(1),
        true),
    row("QuantizeBFP", quantize_blocks, blocks_cost, kQuantizeBlocks, 0),
    row("DequantizeBFP", dequantize_blocks, blocks_cost, kDequantizeBlocks, slots(1, 2), true),
    row("MatMulInteger16", matmul_16, matmul_cost, kMatMul16, 0),
    row("MatMulIntegerToFloat", matmul_to_float, matmul_to_float_cost, kMatMulToFloat,
        slots(2, 3, 4, 5)),
    row("DynamicQuantizeMatMul", dynamic_matmul, dynamic_matmul_cost, kDynamicMatMul, slots(2, 3)),
    with_traits(row("QGemm", gemm, gemm_cost, kGemm, slots(1, 2, 4, 5, 7, 8)), kWhole),
    row("QOrderedMatMul", ordered_matmul, ordered_matmul_cost, kOrderedMatMul, slots(1, 3, 4, 7)),
    row("DynamicQuantizeLSTM", dynamic_lstm, dynamic_lstm_cost, kLstm, slots(4, 8, 9, 10, 11)),
    with_traits(row("MulInteger", multiply, multiply_cost, kMultiply, slots(1, 3)), kWhole),
    with_traits(row("ReduceSumInteger", reduce_sum, reduce_sum_cost, kReduceSum, 0), kWhole),
    row("QOrderedGelu", like_input, ordered_gelu_cost, kOrderedGelu, slots(1, 2)),
    with_traits(row("QOrderedLayerNormalization", like_input, ordered_layer_norm_cost,
                    kOrderedLayerNorm, slots(1, 4)),
                {.norm = {Normalizes::ByInput, 2, 3}}),
};

}  // namespace

std::span<const OpRule> microsoft_quant_rules() { return kMicrosoftQuantRules; }

}  // namespace strata
