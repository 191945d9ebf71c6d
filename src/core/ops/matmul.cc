#include "ops/matmul.h"

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

Status matmul_shape(ShapeContext& c) {
  auto dims = matmul_dims(c, c.dims(0), c.dims(1));
  if (!dims) return failure(dims);
  c.set(0, c.dtype(0), std::move(*dims));
  return {};
}

void matmul_cost(CostContext& c) { matmul_macs(c, 0, 1); }

constexpr Example kMatMul[] = {
    {"f32[1,128,64], f32[64,64]", "", "f32[1,128,64]", {.macs = 524288, .flops = 1048576}},
    {"f32[2,1,3,4], f32[5,4,6]", "", "f32[2,5,3,6]", {.macs = 720}},
    {"f32[4], f32[4]", "", "f32[]", {.macs = 4}},
    {"f32[4], f32[7,4,5]", "", "f32[7,5]", {.macs = 140}},
    {"f32[7,3,4], f32[4]", "", "f32[7,3]", {.macs = 84}},
    {"f32[N,S,64], f32[64,32]", "", "f32[N,S,32]"},
};

Status matmul_integer_shape(ShapeContext& c) {
  auto dims = matmul_dims(c, c.dims(0), c.dims(1));
  if (!dims) return failure(dims);
  c.set(0, DType::I32, std::move(*dims));
  return {};
}

// Zero points are subtracted from both factors once, before the products.
void matmul_integer_cost(CostContext& c) {
  matmul_macs(c, 0, 1);
  if (c.has(2)) c.adds({{"A less zero point", c.in_elements(0)}});
  if (c.has(3)) c.adds({{"B less zero point", c.in_elements(1)}});
}

constexpr Example kMatMulInteger[] = {
    {"u8[4,3], u8[3,2], u8[], u8[]", "", "i32[4,2]", {.macs = 24, .flops = 66}},
};

Status gemm_shape(ShapeContext& c) {
  if (c.rank(0) != 2 || c.rank(1) != 2)
    return c.error(fmt::format("A {} and B {} must be matrices", strata::text(c.dims(0)),
                               strata::text(c.dims(1))));
  const bool trans_a = c.integer("transA", 0) != 0, trans_b = c.integer("transB", 0) != 0;
  const Expr& k_of_a = c.dims(0)[trans_a ? 0 : 1];
  const Expr& k_of_b = c.dims(1)[trans_b ? 1 : 0];
  if (clash(k_of_a, k_of_b))
    return c.error(
        fmt::format("A has {} columns where B has {} rows", k_of_a.text(), k_of_b.text()));
  Dims dims{c.dims(0)[trans_a ? 1 : 0], c.dims(1)[trans_b ? 0 : 1]};
  if (c.has(2) && c.ranked(2) && c.rank(2) > 2)
    return c.error(
        fmt::format("C {} does not broadcast to {}", strata::text(c.dims(2)), strata::text(dims)));
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// alpha·A·B + beta·C; factors of 1 cost nothing.
void gemm_cost(CostContext& c) {
  const Expr k_of_a = size_at(c.in(0), c.integer("transA", 0) != 0 ? 0 : 1);
  const Expr k_of_b = size_at(c.in(1), c.integer("transB", 0) != 0 ? 1 : 0);
  c.macs({{"outputs", c.out_elements(0)}, {"common size", k_of_b.is_number() ? k_of_b : k_of_a}});
  scaled_sum(c, 2, c.real("alpha", 1), c.real("beta", 1));
}

constexpr Example kGemm[] = {
    {"f32[1,2048], f32[1000,2048], f32[1000]",
     "transB=1",
     "f32[1,1000]",
     {.macs = 2048000, .flops = 4097000}},
    {"f32[4,3], f32[5,4], f32[1,5]",
     "transA=1 transB=1 alpha=0.25f beta=0.5f",
     "f32[3,5]",
     {.macs = 60, .flops = 155}},
    {"f32[N,8], f32[8,4]", "", "f32[N,4]"},
};

Status det_shape(ShapeContext& c) {
  const Dims& x = c.dims(0);
  const std::size_t rank = x.size();
  if (rank < 2 || clash(x[rank - 2], x[rank - 1]))
    return c.error(
        fmt::format("input {} must be a square matrix or a batch of them", strata::text(x)));
  c.set(0, c.dtype(0), Dims(std::span<const Expr>(x.data(), rank - 2)));
  return {};
}

// Elimination of an n×n matrix: n(n-1)/2 quotients, (n-1)n(2n-1)/6 products and the same number of
// differences; then n-1 products along the diagonal.
void det_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  const Expr updates = floor_div((n - 1) * n * (n * 2 - 1), 6);
  c.specials({{"matrices", c.out_elements(0)}, {"quotients", floor_div(n * (n - 1), 2)}});
  c.muls({{"matrices", c.out_elements(0)}, {"products", updates + n - 1}});
  c.adds({{"matrices", c.out_elements(0)}, {"differences", updates}});
}

constexpr Example kDet[] = {
    // a·d - (c/a·a)·b the long way: 1 quotient, 2 products, 1 difference.
    {"f32[2,2]", "", "f32[]", {.macs = 0, .flops = 4}},
    {"f32[5,3,3]", "", "f32[5]", {.macs = 0, .flops = 75}},
};

constexpr Example kEinsum[] = {
    {"f32[2,3], f32[3,4]", "equation=\"ij, jk -> ik\"", "f32[2,4]", {.macs = 24}},
    {"f32[5,2,3], f32[5,3,4]", "equation=\"bij,bjk\"", "f32[2,4]", {.macs = 120}},
    {"f32[7,2,3], f32[1,3,4]", "equation=\"...ij,...jk->...ik\"", "f32[7,2,4]", {.macs = 168}},
    {"f32[3,3]", "equation=\"ii->i\"", "f32[3]", {.macs = 0, .flops = 0}},
    {"f32[2,3]", "equation=\"ij->i\"", "f32[2]", {.macs = 0, .flops = 4}},
    {"f32[2,3], f32[2,3]", "equation=\"ij,ij->ij\"", "f32[2,3]", {.macs = 0, .flops = 6}},
    // (ab,bc) first, 2·3·4, then (ac,cd), 2·4·5.
    {"f32[2,3], f32[3,4], f32[4,5]", "equation=\"ab,bc,cd->ad\"", "f32[2,5]", {.macs = 64}},
    {"f32[B,S,H], f32[H,8]", "equation=\"bsh,hd->bsd\"", "f32[B,S,8]"},
};

constexpr OpRule kMatmulRules[] = {
    {.name = "MatMul",
     .shape = matmul_shape,
     .cost = matmul_cost,
     .examples = kMatMul,
     .traits = {.op = Op::MatMul,
                .kind = LayerKind::MatMul,
                .kind_with_weights = LayerKind::Linear,
                .product = Product::MatMul,
                .weights = 1,
                .int8_output = Int8Output::Floats}},
    {.name = "Gemm",
     .shape = gemm_shape,
     .cost = gemm_cost,
     .examples = kGemm,
     .traits = {.kind = LayerKind::MatMul,
                .kind_with_weights = LayerKind::Linear,
                .product = Product::Gemm,
                .weights = 1,
                .bias = 2,
                .int8_output = Int8Output::Either,
                .attributes = kGemmAttributes}},
    {.name = "MatMulInteger",
     .since = 10,
     .shape = matmul_integer_shape,
     .cost = matmul_integer_cost,
     .examples = kMatMulInteger,
     .settings = slots(2, 3),
     .traits = {.kind = LayerKind::MatMul,
                .kind_with_weights = LayerKind::Linear,
                .product = Product::MatMul,
                .weights = 1,
                .quantized = Quantized::Computes}},
    {.name = "Einsum",
     .since = 12,
     .shape = einsum_shape,
     .cost = einsum_cost,
     .examples = kEinsum,
     .traits = {.op = Op::Einsum, .kind = LayerKind::Other, .product = Product::Other}},
    {.name = "Det",
     .since = 11,
     .shape = det_shape,
     .cost = det_cost,
     .examples = kDet,
     .traits = {.kind = LayerKind::Other, .product = Product::None}},
};

}  // namespace

Result<Dims> matmul_dims(const ShapeContext& c, const Dims& a, const Dims& b) {
  if (a.empty() || b.empty()) return c.error("a scalar has no matrix product");
  const bool row = a.size() == 1, column = b.size() == 1;
  const Expr& k_of_a = a.back();
  const Expr& k_of_b = b[column ? 0 : b.size() - 2];
  if (clash(k_of_a, k_of_b))
    return c.error(fmt::format("{} and {} cannot be multiplied: {} columns, {} rows",
                               strata::text(a), strata::text(b), k_of_a.text(), k_of_b.text()));
  const std::span<const Expr> batch_a(a.data(), row ? 0 : a.size() - 2);
  const std::span<const Expr> batch_b(b.data(), column ? 0 : b.size() - 2);
  Dims dims;
  if (batch_b.empty()) {
    dims = Dims(batch_a);
  } else if (batch_a.empty()) {
    dims = Dims(batch_b);
  } else {
    auto batch = c.broadcast(Dims(batch_a), Dims(batch_b));
    if (!batch) return batch;
    dims = std::move(*batch);
  }
  if (!row) dims.push_back(a[a.size() - 2]);
  if (!column) dims.push_back(b.back());
  return dims;
}

void matmul_macs(CostContext& c, std::size_t a, std::size_t b) {
  Expr common = size_from_end(c.in(a), 0);
  if (!common.is_number()) {
    const Expr other = size_from_end(c.in(b), c.rank(b) == 1 ? 0 : 1);
    if (other.is_number()) common = other;
  }
  c.macs({{"outputs", c.out_elements(0)}, {"common size", common}});
}

void scaled_sum(CostContext& c, std::size_t added, double alpha, double beta) {
  if (alpha != 1) c.muls({{"outputs times alpha", c.out_elements(0)}});
  if (!c.has(added) || beta == 0) return;
  if (beta != 1) c.muls({{"C times beta", c.in_elements(added)}});
  c.adds({{"outputs plus C", c.out_elements(0)}});
}

std::span<const OpRule> matmul_rules() { return kMatmulRules; }

}  // namespace strata
