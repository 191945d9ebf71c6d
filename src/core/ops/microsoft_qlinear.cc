// ONNX Runtime's QLinear operators: 8-bit data, each with a scale and a zero point, is converted to
// real numbers, processed, and converted back. They are counted that way, although kernels for
// single elements use tables.
#include <algorithm>

#include "ops/common.h"
#include "ops/conv.h"
#include "ops/part.h"
#include "ops/quant.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr std::string_view kChannelsLast = "com.ms.internal.nhwc";

bool has_channels_last(const NodeView& c) {
  return c.node().domain == kChannelsLast || c.integer("channels_last", 0) != 0;
}

// An input as if it were real, with channels as the second axis.
Tensor data_of(const NodeView& c, std::size_t i, bool last = false) {
  TypeInfo type = c.in(i);
  if (c.has(i)) type.dtype = DType::F32;
  return tensor_of(last ? channels_first(std::move(type)) : std::move(type));
}

// Sets output 0 to the part's output shape and this type.
Status set_shape(ShapeContext& c, const Part& part, DType dtype, bool last = false) {
  auto type = type_of(c, part);
  if (!type) return failure(type);
  type->dtype = dtype;
  c.set(0, last ? channels_last(std::move(*type)) : std::move(*type));
  return {};
}

TypeInfo output_of(const NodeView& c, bool last = false) {
  return last ? channels_first(c.out(0)) : c.out(0);
}

// ---- A, scale, zero point, B, scale, zero point, scale and zero point of the result.

Status binary(ShapeContext& c) {
  auto dims = c.broadcast(c.dims(0), c.dims(3));
  if (!dims) return failure(dims);
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

template <Work work>
void binary_cost(CostContext& c) {
  dequantize_work(c, c.in_elements(0), c.has(2));
  dequantize_work(c, c.in_elements(3), c.has(5));
  c.add(work, {{"outputs", c.out_elements(0)}});
  quantize_work(c, c.out_elements(0), c.has(7));
}

// ---- X, scale, zero point, scale and zero point of the result.

// An operator on each element.
template <auto& op>
void unary_cost(CostContext& c) {
  dequantize_work(c, c.in_elements(0), c.has(2));
  add_elementwise(c, op, c.in_elements(0));
  quantize_work(c, c.in_elements(0), c.has(4));
}
constexpr char kLeakyRelu[] = "LeakyRelu";
constexpr char kSigmoid[] = "Sigmoid";

void softmax_cost(CostContext& c) {
  dequantize_work(c, c.in_elements(0), c.has(2));
  const auto opset = static_cast<int>(std::clamp<std::int64_t>(c.integer("opset", 13), 1, 26));
  add_work(c, {"Softmax", {data_of(c, 0)}, c.node().attributes, opset}, {{c.out(0)}});
  quantize_work(c, c.in_elements(0), c.has(4));
}

// The operator inside: pools and a reduction with their own attributes.
Part inner_part(const NodeView& c, std::string_view op, bool last) {
  return {op, {data_of(c, 0, last)}, c.node().attributes};
}

template <auto& op>
Status inner(ShapeContext& c) {
  const bool last = has_channels_last(c);
  return set_shape(c, inner_part(c, op, last), c.dtype(0), last);
}

template <auto& op>
void inner_cost(CostContext& c) {
  const bool last = has_channels_last(c);
  dequantize_work(c, c.in_elements(0), c.has(2));
  add_work(c, inner_part(c, op, last), {{output_of(c, last)}});
  quantize_work(c, c.out_elements(0), c.has(4));
}
constexpr char kAveragePool[] = "AveragePool";
constexpr char kGlobalAveragePool[] = "GlobalAveragePool";
constexpr char kReduceMean[] = "ReduceMean";

// ---- Scale and zero point of the result, then data, scale and zero point of each.

Part concat_part(const NodeView& c) {
  Part part{"Concat", {}, c.node().attributes};
  for (std::size_t i = 2; i < c.input_count(); i += 3) part.inputs.push_back(data_of(c, i));
  return part;
}

Status concat(ShapeContext& c) { return set_shape(c, concat_part(c), c.dtype(2)); }

// Zero points are counted whether they are present or not.
void requantize_cost(CostContext& c) {
  dequantize_work(c, c.out_elements(0), true);
  quantize_work(c, c.out_elements(0), true);
}

// ---- Condition, then X and Y with scale and zero point.

Status where(ShapeContext& c) {
  return set_shape(c, {"Where", {input_of(c, 0), data_of(c, 1), data_of(c, 4)}}, c.dtype(1));
}

void where_cost(CostContext& c) {
  add_work(c, {"Where", {input_of(c, 0), data_of(c, 1), data_of(c, 4)}}, {{c.out(0)}});
  requantize_cost(c);
}

// ---- Convolutions: x, w and y with scale and zero point each, and a bias.

Part conv_part(const NodeView& c, bool last) {
  Part part{"QLinearConv", {}, c.node().attributes};
  for (std::size_t i = 0; i < 9; ++i) part.inputs.push_back(input_of(c, i));
  if (last) part.inputs[0].type = channels_first(std::move(part.inputs[0].type));
  return part;
}

Status conv(ShapeContext& c) {
  const bool last = has_channels_last(c);
  return set_shape(c, conv_part(c, last), c.has(7) ? c.dtype(7) : c.dtype(0), last);
}

void conv_cost(CostContext& c) {
  const bool last = has_channels_last(c);
  add_work(c, conv_part(c, last), {{output_of(c, last)}});
}

Part transposed_part(const NodeView& c, bool last) {
  return {
      "ConvTranspose", {data_of(c, 0, last), data_of(c, 3), data_of(c, 8)}, c.node().attributes};
}

Status conv_transpose(ShapeContext& c) {
  const bool last = has_channels_last(c);
  return set_shape(c, transposed_part(c, last), c.has(7) ? c.dtype(7) : c.dtype(0), last);
}

// Counted like QLinearConv: integers minus their zero points, then one scale.
void conv_transpose_cost(CostContext& c) {
  const bool last = has_channels_last(c);
  add_work(c, transposed_part(c, last), {{output_of(c, last)}});
  if (c.has(2)) c.adds({{"data less zero point", c.in_elements(0)}});
  if (c.has(5)) c.adds({{"weights less zero point", c.in_elements(3)}});
  requantize_work(c, c.out_elements(0));
}

constexpr Example kBinary[] = {
    {"u8[1,64,56,56], f32[], u8[], u8[1,64,56,56], f32[], u8[], f32[], u8[]",
     "",
     "u8[1,64,56,56]",
     {.macs = 0, .flops = 200704 * (2 + 2 + 1 + 5)}},
    {"i8[N,8], f32[], _, i8[8], f32[], _, f32[]", "", "i8[N,8]"},
};
constexpr Example kUnary[] = {
    {"u8[2,8], f32[], u8[], f32[], u8[]", "", "u8[2,8]", {.macs = 0}},
};
constexpr Example kSoftmax[] = {
    {"u8[2,8], f32[], u8[], f32[], u8[]", "axis=-1 opset=13", "u8[2,8]", {.macs = 0}},
};
constexpr Example kPool[] = {
    {"u8[1,64,8,8], f32[], u8[], f32[], u8[]", "kernel_shape=2,2 strides=2,2", "u8[1,64,4,4]"},
    {"u8[1,8,8,64], f32[], u8[], f32[], u8[]", "kernel_shape=2,2 strides=2,2 channels_last=1",
     "u8[1,4,4,64]"},
};
constexpr Example kNhwcPool[] = {
    {"u8[1,8,8,64], f32[], u8[], f32[], u8[]", "kernel_shape=2,2 strides=2,2", "u8[1,4,4,64]"},
};
constexpr Example kGlobalPool[] = {
    {"u8[1,512,7,7], f32[], u8[], f32[], u8[]", "", "u8[1,512,1,1]"},
    {"u8[1,7,7,512], f32[], u8[], f32[], u8[]", "channels_last=1", "u8[1,1,1,512]"},
};
constexpr Example kMean[] = {
    {"u8[2,8,4], f32[], u8[], f32[], u8[]", "axes=1, keepdims=1", "u8[2,1,4]"},
    {"u8[2,8,4], f32[], u8[], f32[], u8[]", "axes=1,2 keepdims=0", "u8[2]"},
};
constexpr Example kConcat[] = {
    {"f32[], u8[], u8[1,8,4], f32[], u8[], u8[1,6,4], f32[], u8[]", "axis=1", "u8[1,14,4]"},
};
constexpr Example kWhere[] = {
    {"bool[4,1], u8[8], f32[], u8[], u8[4,8], f32[], u8[], f32[], u8[]", "", "u8[4,8]"},
};
constexpr Example kConv[] = {
    {"u8[1,4,8,8], f32[], u8[], i8[16,4,1,1], f32[16], i8[16], f32[], u8[], i32[16]",
     "",
     "u8[1,16,8,8]",
     {.macs = 4096}},
    {"u8[1,8,8,4], f32[], u8[], i8[16,4,1,1], f32[16], i8[16], f32[], u8[]",
     "channels_last=1",
     "u8[1,8,8,16]",
     {.macs = 4096}},
};
constexpr Example kTransposed[] = {
    {"u8[1,64,16,16], f32[], u8[], i8[64,32,2,2], f32[], i8[], f32[], u8[]",
     "strides=2,2",
     "u8[1,32,32,32]",
     {.macs = 2097152}},
};
constexpr Example kNhwcTransposed[] = {
    {"u8[1,16,16,64], f32[], u8[], i8[64,32,2,2], f32[], i8[], f32[], u8[]",
     "strides=2,2",
     "u8[1,32,32,32]",
     {.macs = 2097152}},
};

constexpr OpRule row(std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, std::uint32_t settings,
                     std::string_view domain = kMicrosoft) {
  return {.name = name,
          .domain = domain,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .settings = settings,
          .traits = {.quantized = Quantized::Computes}};
}

constexpr std::uint32_t kAfterOne = slots(1, 2, 3, 4);
constexpr std::uint32_t kAfterTwo = slots(1, 2, 4, 5, 6, 7);

constexpr OpRule kMicrosoftQlinearRules[] = {
    row("QLinearAdd", binary, binary_cost<Work::Add>, kBinary, kAfterTwo),
    row("QLinearMul", binary, binary_cost<Work::Mul>, kBinary, kAfterTwo),
    row("QLinearLeakyRelu", like_input, unary_cost<kLeakyRelu>, kUnary, kAfterOne),
    row("QLinearSigmoid", like_input, unary_cost<kSigmoid>, kUnary, kAfterOne),
    row("QLinearSoftmax", like_input, softmax_cost, kSoftmax, kAfterOne),
    row("QLinearAveragePool", inner<kAveragePool>, inner_cost<kAveragePool>, kPool, kAfterOne),
    row("QLinearAveragePool", inner<kAveragePool>, inner_cost<kAveragePool>, kNhwcPool, kAfterOne,
        kChannelsLast),
    row("QLinearGlobalAveragePool", inner<kGlobalAveragePool>, inner_cost<kGlobalAveragePool>,
        kGlobalPool, kAfterOne),
    row("QLinearReduceMean", inner<kReduceMean>, inner_cost<kReduceMean>, kMean, kAfterOne),
    row("QLinearConcat", concat, requantize_cost, kConcat, slots(0, 1, 3, 4, 6, 7)),
    row("QLinearWhere", where, where_cost, kWhere, slots(2, 3, 5, 6, 7, 8)),
    with_traits(row("QLinearConv", conv, conv_cost, kConv, kAfterTwo),
                {.kind = LayerKind::Conv,
                 .product = Product::Conv,
                 .weights = 3,
                 .bias = 8,
                 .quantized = Quantized::Computes,
                 .attributes = kConvAttributes}),
    row("QLinearConvTranspose", conv_transpose, conv_transpose_cost, kTransposed, kAfterTwo),
    row("QLinearConvTranspose", conv_transpose, conv_transpose_cost, kNhwcTransposed, kAfterTwo,
        kChannelsLast),
};

}  // namespace

std::span<const OpRule> microsoft_qlinear_rules() { return kMicrosoftQlinearRules; }

}  // namespace strata
