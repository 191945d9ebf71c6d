// Matrix products of TFLite.
#include "ops/conv.h"
#include "ops/matmul.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// Data of any rank and weights [outputs, inputs]: all axes but the last are rows, unless the output
// is to keep them.
Status fully_connected_shape(ShapeContext& c) {
  if (c.rank(1) != 2) return c.error("its weights need two axes");
  const Dims& data = c.dims(0);
  Dims dims;
  if (c.integer("keep_num_dims", 0) != 0) {
    for (std::size_t i = 0; i + 1 < data.size(); ++i) dims.push_back(data[i]);
  } else {
    const auto rows = exact_div(elements(data), c.dims(1)[1]);
    dims.push_back(rows ? *rows : c.fresh("rows"));
  }
  dims.push_back(c.dims(1)[0]);
  c.set(0, stated_dtype(c, c.dtype(0)), std::move(dims));
  return {};
}

void fully_connected_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", size_from_end(c.in(1), 0)}});
  bias_adds(c, 2);
  fused_activation(c);
}

// Swaps the last two axes.
Tensor tflite_transposed(const NodeView& c, std::size_t i, std::string_view attribute) {
  Tensor tensor = input_of(c, i);
  if (c.integer(attribute, 0) == 0 || tensor.type->dims.size() < 2) return tensor;
  TypeInfo type = tensor.type;
  std::swap(type.dims[type.dims.size() - 1], type.dims[type.dims.size() - 2]);
  return tensor_of(std::move(type));
}

Recast batch_matmul(const NodeView& c) {
  Recast other{"MatMul"};
  other.inputs = {tflite_transposed(c, 0, "adj_x"), tflite_transposed(c, 1, "adj_y")};
  return other;
}

constexpr Example kFullyConnected[] = {
    {"f32[1,1024], f32[1001,1024], f32[1001]",
     "activation=\"RELU\"",
     "f32[1,1001]",
     {.macs = 1001 * 1024, .flops = 1001 * 2050}},
    {"i8[2,7,7,16], i8[10,784], _", "", "i8[2,10]", {.macs = 2 * 10 * 784}},
    {"f32[1,5,64], f32[32,64]", "keep_num_dims=1", "f32[1,5,32]", {.macs = 5 * 32 * 64}},
};
constexpr Example kBatchMatmul[] = {
    {"f32[4,16,64], f32[4,32,64]", "adj_x=0 adj_y=1", "f32[4,16,32]", {.macs = 4 * 16 * 32 * 64}},
};

constexpr AttributeName kFullyConnectedAttributes[] = {
    {Attr::TransposeFirst, "", 0},
    {Attr::TransposeSecond, "", 1},
};
constexpr AttributeName kBatchMatmulAttributes[] = {
    {Attr::TransposeFirst, "adj_x", 0},
    {Attr::TransposeSecond, "adj_y", 0},
};

constexpr OpRule kTfliteMatmulRules[] = {
    tflite("FULLY_CONNECTED", "Gemm", fully_connected_shape, fully_connected_cost, kFullyConnected,
           {.kind = LayerKind::Linear,
            .weights = 1,
            .bias = 2,
            .attributes = kFullyConnectedAttributes}),
    tflite_as<"MatMul", batch_matmul>("BATCH_MATMUL", kBatchMatmul,
                                      {.attributes = kBatchMatmulAttributes}),
};

}  // namespace

std::span<const OpRule> tflite_matmul_rules() { return kTfliteMatmulRules; }

}  // namespace strata
