// ONNX Runtime's matrix products: with fused transposition, scaling and activation, with sparse and
// 8-bit float matrices, and distances between rows.
#include "ops/matmul.h"

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// transBatch moves the first axis before the last one; trans then swaps the last two. A vector is
// never transposed.
Dims turned(const Dims& dims, bool trans, bool trans_batch) {
  Dims out = dims;
  const std::size_t rank = out.size();
  if (trans_batch && rank >= 3) {
    Expr first = out[0];
    out.erase(0);
    out.insert(rank - 2, std::move(first));
  }
  if (trans && rank >= 2) std::swap(out[rank - 1], out[rank - 2]);
  return out;
}

Dims left_of(const NodeView& c) {
  return turned(c.dims(0), c.integer("transA", 0) != 0, c.integer("transBatchA", 0) != 0);
}
Dims right_of(const NodeView& c) {
  return turned(c.dims(1), c.integer("transB", 0) != 0, c.integer("transBatchB", 0) != 0);
}
Expr common_size(const NodeView& c) {
  const Dims left = left_of(c);
  return left.empty() ? Expr::unknown() : left[left.size() - 1];
}

Status fused_matmul(ShapeContext& c) {
  auto dims = matmul_dims(c, left_of(c), right_of(c));
  if (!dims) return failure(dims);
  c.set(0, c.dtype(1) == DType::Undefined ? c.dtype(0) : c.dtype(1), std::move(*dims));
  return {};
}

void scale_outputs(CostContext& c) {
  if (c.real("alpha", 1) != 1) c.muls({{"outputs times alpha", c.out_elements(0)}});
}

void fused_matmul_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", common_size(c)}});
  scale_outputs(c);
  // This is the only activation that works along an axis.
  if (c.text("activation", "") == "Softmax") {
    add_work(c, {"Softmax", {tensor_of(c.out(0))}}, {{c.out(0)}});
  } else {
    add_activation(c, c.text("activation", ""), c.out_elements(0));
  }
}

// Only stored elements are multiplied, each with a row of B.
void sparse_matmul_cost(CostContext& c) {
  const Tensor a = input_of(c, 0);
  if (a.data == nullptr || a.data->store != TensorData::Store::Sparse) {
    c.cannot_tell("how many elements of its sparse matrix are stored is known only at run time");
    return;
  }
  const bool trans_b = c.integer("transB", 0) != 0;
  c.macs(
      {{"stored elements", a.data->nonzeros}, {"columns of B", size_at(c.in(1), trans_b ? 0 : 1)}});
  scale_outputs(c);
}

Part gemm_part(const NodeView& c) {
  return {"Gemm", {input_of(c, 0), input_of(c, 1), input_of(c, 2)}, c.node().attributes};
}

Status fused_gemm(ShapeContext& c) {
  auto type = type_of(c, gemm_part(c));
  if (!type) return failure(type);
  c.set(0, std::move(*type));
  return {};
}

void fused_gemm_cost(CostContext& c) {
  add_work(c, gemm_part(c), {{c.out(0)}});
  add_activation(c, c.text("activation", ""), c.out_elements(0));
}

// The output type is an attribute; the default is float 32.
Status float8_gemm(ShapeContext& c) {
  auto type = type_of(c, gemm_part(c));
  if (!type) return failure(type);
  const std::int64_t number = c.integer("dtype", 1);
  const auto dtype = dtype_from_onnx(number);
  if (!dtype) return c.error(fmt::format("attribute dtype is {}, which is not a type", number));
  type->dtype = *dtype;
  c.set(0, std::move(*type));
  return {};
}

// The scales of 8-bit floats take one multiplication per output, all three together.
void float8_gemm_cost(CostContext& c) {
  fused_gemm_cost(c);
  if (c.has(3) || c.has(4) || c.has(5)) c.muls({{"outputs", c.out_elements(0)}, {"scale", 1}});
}

constexpr Attribute kTanh[] = {{"approximate", std::string_view("tanh")}};

void matmul_gelu_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", common_size(c)}});
  if (c.has(2)) c.adds({{"outputs", c.out_elements(0)}, {"bias", 1}});
  add_elementwise(c, "Gelu", c.out_elements(0), 20, kTanh);
}

// Distances between the rows of two matrices.
Status row_distances(ShapeContext& c) {
  if (c.rank(0) != 2 || c.rank(1) != 2) return c.error("both inputs must be matrices");
  if (clash(c.dims(0)[1], c.dims(1)[1]))
    return c.error("its matrices have rows of different lengths");
  c.set(0, c.dtype(0), {c.dims(0)[0], c.dims(1)[0]});
  return {};
}

// A difference, a square and a sum per pair of elements; then a root.
void row_distances_cost(CostContext& c) {
  const std::string_view metric = c.text("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") {
    c.cannot_tell("its metric has no rule");
    return;
  }
  const Expr width = size_at(c.in(0), 1);
  c.adds({{"pairs", c.out_elements(0)}, {"differences and sums", width * 2 - 1}});
  c.muls({{"pairs", c.out_elements(0)}, {"squares", width}});
  if (metric == "euclidean") c.specials({{"pairs", c.out_elements(0)}, {"root", 1}});
}

constexpr Example kFusedMatMul[] = {
    // Q·Kᵀ of 12 heads, scaled.
    {"f32[1,12,128,64], f32[1,12,128,64]",
     "transB=1 alpha=0.125f",
     "f32[1,12,128,128]",
     {.macs = 12582912, .flops = 25165824 + 196608}},
    {"f32[4,3], f32[4,5]", "transA=1", "f32[3,5]", {.macs = 60}},
    {"f32[N,S,64], f32[64,32]", "", "f32[N,S,32]"},
    // transBatch: 8×2×3 stands for 2 matrices of 8×3.
    {"f32[8,2,3], f32[2,3,5]", "transBatchA=1", "f32[2,8,5]", {.macs = 240}},
};
constexpr Example kTransposeMatMul[] = {
    {"f32[2,4,3], f32[2,5,4]", "transA=1 transB=1", "f32[2,3,5]", {.macs = 120}},
};
constexpr Example kMatMulActivation[] = {
    {"f32[4,8], f32[8,16]", "activation=\"Relu\"", "f32[4,16]", {.macs = 512, .flops = 1024 + 64}},
};
constexpr Example kFusedGemm[] = {
    {"f32[1,2048], f32[1000,2048], f32[1000]",
     "transB=1 activation=\"Relu\"",
     "f32[1,1000]",
     {.macs = 2048000, .flops = 4096000 + 2000}},
};
constexpr Example kFloat8Gemm[] = {
    {"f8e4m3fn[16,32], f8e4m3fn[64,32], _, f32[1], f32[1]",
     "transB=1 dtype=10",
     "f16[16,64]",
     {.macs = 32768, .flops = 65536 + 1024}},
};
constexpr Example kGemmFastGelu[] = {
    {"f32[1,128,768], f32[768,3072], f32[3072]", "", "f32[1,128,3072]", {.macs = 301989888}},
};
constexpr Example kSparse[] = {{"f32[8,16], f32[16,4]", "", "f32[8,4]"}};
// 12 pairs of 5 numbers: 5 differences, 5 squares, 4 sums and a root.
constexpr Example kDistances[] = {
    {"f32[3,5], f32[4,5]", "metric=\"euclidean\"", "f32[3,4]", {.macs = 0, .flops = 12 * 15}},
};

constexpr AttributeName kMatMulAttributes[] = {
    {Attr::TransposeFirst, "transA"},
    {Attr::TransposeSecond, "transB"},
};

constexpr OpRule kMicrosoftMatmulRules[] = {
    {.name = "FusedMatMul",
     .domain = kMicrosoft,
     .shape = fused_matmul,
     .cost = fused_matmul_cost,
     .examples = kFusedMatMul,
     .traits = {.kind = LayerKind::MatMul,
                .kind_with_weights = LayerKind::Linear,
                .product = Product::MatMul,
                .weights = 1,
                .attributes = kMatMulAttributes}},
    {.name = "TransposeMatMul",
     .domain = kMicrosoft,
     .shape = fused_matmul,
     .cost = fused_matmul_cost,
     .examples = kTransposeMatMul,
     .traits = {.product = Product::MatMul, .weights = 1, .attributes = kMatMulAttributes}},
    {.name = "FusedMatMulActivation",
     .domain = kMicrosoft,
     .shape = fused_matmul,
     .cost = fused_matmul_cost,
     .examples = kMatMulActivation,
     .traits = {.product = Product::MatMul, .weights = 1, .attributes = kMatMulAttributes}},
    {.name = "FusedGemm",
     .domain = kMicrosoft,
     .shape = fused_gemm,
     .cost = fused_gemm_cost,
     .examples = kFusedGemm,
     .traits = {.kind = LayerKind::MatMul,
                .kind_with_weights = LayerKind::Linear,
                .product = Product::Gemm,
                .weights = 1,
                .bias = 2,
                .attributes = kGemmAttributes}},
    {.name = "GemmFloat8",
     .domain = kMicrosoft,
     .shape = float8_gemm,
     .cost = float8_gemm_cost,
     .examples = kFloat8Gemm,
     .settings = slots(3, 4, 5),
     .traits = {.product = Product::Gemm, .weights = 1, .bias = 2, .attributes = kGemmAttributes}},
    {.name = "GemmFastGelu",
     .domain = kMicrosoft,
     .shape = fused_matmul,
     .cost = matmul_gelu_cost,
     .examples = kGemmFastGelu,
     .traits = {.product = Product::MatMul, .weights = 1, .bias = 2}},
    {.name = "SparseToDenseMatMul",
     .domain = kMicrosoft,
     .shape = fused_matmul,
     .cost = sparse_matmul_cost,
     .examples = kSparse,
     .traits = {.product = Product::MatMul, .weights = 1, .attributes = kMatMulAttributes}},
    {.name = "CDist",
     .domain = kMicrosoft,
     .shape = row_distances,
     .cost = row_distances_cost,
     .examples = kDistances,
     .traits = {.product = Product::None}},
};

}  // namespace

std::span<const OpRule> microsoft_matmul_rules() { return kMicrosoftMatmulRules; }

}  // namespace strata
