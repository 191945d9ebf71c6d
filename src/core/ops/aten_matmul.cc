// Matrix products of PyTorch.
#include <algorithm>

#include "ops/aten_rows.h"
#include "ops/aten_table.h"
#include "ops/conv.h"
#include "ops/matmul.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// input, weight [outputs, inputs], bias.
void linear_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", size_from_end(c.in(1), 0)}});
  bias_adds(c, 2);
}

// A sparse matrix meets a dense one: each stored element is multiplied with a row or a column. Of
// two sparse ones, it depends on the places of the elements; each element of the result is at least
// one product. False if both are dense.
bool sparse_macs(CostContext& c, std::size_t a, std::size_t b) {
  const auto stored = c.stored();
  if (stored.size() <= std::max(a, b) || (stored[a] < 0 && stored[b] < 0)) return false;
  if (stored[a] >= 0 && stored[b] >= 0) {
    if (stored.size() == c.input_count() || stored.back() < 0)
      c.cannot_tell("how many products two sparse matrices have");
    else
      c.macs({{"stored elements of the result", stored.back()}});
    c.at_least("each element of a sparse result is counted as one product; it may need more");
  } else if (stored[a] >= 0) {
    const Expr columns = c.rank(b) < 2 ? Expr(1) : size_from_end(c.in(b), 0);
    c.macs({{"stored elements", stored[a]}, {"columns", columns}});
  } else {
    const Expr rows = c.rank(a) < 2 ? Expr(1) : size_from_end(c.in(a), 1);
    c.macs({{"stored elements", stored[b]}, {"rows", rows}});
  }
  return true;
}

template <std::size_t a, std::size_t b>
void product_cost(CostContext& c) {
  if (!sparse_macs(c, a, b)) matmul_macs(c, a, b);
}

// beta·C + alpha·A·B of the inputs C, A, B.
void added_product_cost(CostContext& c) {
  if (!sparse_macs(c, 1, 2)) matmul_macs(c, 1, 2);
  scaled_sum(c, 0, number_of(c, "alpha", 1), number_of(c, "beta", 1));
}

// Like above, at the places that the sparse C has.
void sampled_cost(CostContext& c) {
  const auto stored = c.stored();
  if (stored.empty() || stored[0] < 0)
    return c.cannot_tell("how many elements of its sparse tensors it computes");
  c.macs({{"stored elements", stored[0]}, {"common size", size_from_end(c.in(1), 0)}});
  if (number_of(c, "alpha", 1) != 1) c.muls({{"stored elements, alpha", stored[0]}});
  if (number_of(c, "beta", 1) != 1) c.muls({{"stored elements, beta", stored[0]}});
  c.adds({{"stored elements, sum", stored[0]}});
}

// Like added_product_cost, with the products of a batch added up.
void added_batch_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)},
          {"common size", size_from_end(c.in(1), 0)},
          {"batch", size_at(c.in(1), 0)}});
  scaled_sum(c, 0, number_of(c, "alpha", 1), number_of(c, "beta", 1));
}

// Every element of one vector times every element of another.
void outer_cost(CostContext& c) { c.muls({{"outputs", c.out_elements(0)}}); }

// The last axes of both inputs meet.
void inner_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"common size", size_from_end(c.in(0), 0)}});
}

void tensordot_cost(CostContext& c) {
  Expr common = 1;
  for (std::int64_t axis : c.integers("dims_self")) {
    if (axis < 0) axis += static_cast<std::int64_t>(c.rank(0));
    common *= axis < 0 ? Expr::unknown() : size_at(c.in(0), static_cast<std::size_t>(axis));
  }
  c.macs({{"outputs", c.out_elements(0)}, {"common size", common}});
}

void vecdot_cost(CostContext& c) { c.macs({{"elements", c.in_elements(0)}}); }

// Rows of a matrix meet the matrix of their group, or columns and rows that belong to a group meet
// each other, which gives a matrix per group.
void grouped_cost(CostContext& c) {
  const bool inner = c.rank(0) == 2 && c.out(0).dims.size() == 3;
  c.macs({{"outputs", inner ? product_from(c.out(0), 1) : c.out_elements(0)},
          {"common size", size_from_end(c.in(0), 0)}});
  bias_adds(c, 3);
}

// Sums of products of three tensors, each with axes of size 1 put in at the places that it is
// expanded at: nn.Bilinear. Every term is a product of three, which is added up.
void trilinear_cost(CostContext& c) {
  constexpr std::string_view kExpanded[] = {"expand1", "expand2", "expand3"};
  const std::size_t rank = c.rank(0) + c.integers(kExpanded[0]).size();
  Dims sizes(rank, Expr(1));
  for (std::size_t i = 0; i < 3; ++i) {
    const auto put_in = c.integers(kExpanded[i]);
    if (!c.ranked(i) || c.rank(i) + put_in.size() != rank)
      return c.cannot_tell("its tensors have different numbers of axes");
    std::size_t own = 0;
    for (std::size_t axis = 0; axis < rank && own < c.rank(i); ++axis) {
      if (std::find(put_in.begin(), put_in.end(), static_cast<std::int64_t>(axis)) != put_in.end())
        continue;
      if (const Expr& size = c.dims(i)[own++]; !size.is(1)) sizes[axis] = size;
    }
  }
  const Expr terms = elements(sizes);
  c.macs({{"terms", terms}});
  c.muls({{"terms, third factor", terms}});
}

// beta·C + alpha·a·bᵀ of the inputs C, a, b.
void added_outer_cost(CostContext& c) {
  outer_cost(c);
  scaled_sum(c, 0, number_of(c, "alpha", 1), number_of(c, "beta", 1));
}

// Distances of rows: a difference, a power and a sum for each feature, then a root.
void distances(CostContext& c, const Expr& features) {
  const Expr pairs = c.out_elements(0);
  const double p = number_of(c, "p", 2);
  c.adds({{"pairs", pairs}, {"features", features}, {"difference, sum", 2}});
  if (p == 2)
    c.muls({{"pairs", pairs}, {"features, squares", features}});
  else if (p == 1)
    c.adds({{"pairs", pairs}, {"features, absolute values", features}});
  else
    c.specials({{"pairs", pairs}, {"features, powers", features}});
  if (p != 1) c.specials({{"pairs, roots", pairs}});
}
void distances_cost(CostContext& c) { distances(c, size_from_end(c.in(0), 0)); }

constexpr Example kLinear[] = {
    {"f32[1,2048], f32[1000,2048], f32[1000]",
     "",
     "f32[1,1000]",
     {.macs = 2048000, .flops = 4097000}},
    {"f32[2,16,64], f32[32,64]", "", "f32[2,16,32]", {.macs = 65536, .flops = 131072}},
    {"f32[B,S,64], f32[32,64], _", "", "f32[B,S,32]"},
};
constexpr Example kMm[] = {{"f32[4,3], f32[3,5]", "", "f32[4,5]", {.macs = 60, .flops = 120}}};
constexpr Example kSparseMm[] = {
    {"f32[4,3], f32[3,5]", "", "f32[4,5]", {.macs = 60, .flops = 120}},
    // 5 elements are stored in a matrix of 4×3, each of which meets a row of 5.
    {"f32[4,3], f32[3,5]", "nnz=5,-1", "f32[4,5]", {.macs = 25, .flops = 50}},
    // 4 rows meet 7 stored elements.
    {"f32[4,3], f32[3,5]", "nnz=-1,7", "f32[4,5]", {.macs = 28, .flops = 56}},
};
constexpr Example kSparseAddmm[] = {{"f32[4,5], f32[4,3], f32[3,5]",
                                     "beta=1 alpha=1 nnz=-1,5,-1",
                                     "f32[4,5]",
                                     {.macs = 25, .flops = 50 + 20}}};
// 9 elements of the result: at least as many products.
constexpr Example kSparseSparse[] = {
    {"f32[4,3], f32[3,5]", "nnz=5,6,9", "f32[4,5]", {.macs = 9, .flops = 18}}};
// 6 elements of a 4×5 matrix, each a sum of 3 products, and a sum.
constexpr Example kSampled[] = {{"f32[4,5], f32[4,3], f32[3,5]",
                                 "beta=1 alpha=1 nnz=6,-1,-1",
                                 "f32[4,5]",
                                 {.macs = 18, .flops = 36 + 6}}};
constexpr Example kBmm[] = {{"f32[2,4,3], f32[2,3,5]", "", "f32[2,4,5]", {.macs = 120}}};
constexpr Example kMatmul[] = {
    {"f32[2,1,3,4], f32[5,4,6]", "", "f32[2,5,3,6]", {.macs = 720}},
    {"f32[7,3,4], f32[4]", "", "f32[7,3]", {.macs = 84}},
    {"f32[N,S,64], f32[64,32]", "", "f32[N,S,32]"},
};
constexpr Example kMv[] = {{"f32[3,4], f32[4]", "", "f32[3]", {.macs = 12}},
                           {"f32[3,4], f32[4]", "nnz=5,-1", "f32[3]", {.macs = 5}}};
constexpr Example kDot[] = {{"f32[4], f32[4]", "", "f32[]", {.macs = 4}}};
constexpr Example kAddmm[] = {
    {"f32[1000], f32[1,2048], f32[2048,1000]",
     "beta=1 alpha=1",
     "f32[1,1000]",
     {.macs = 2048000, .flops = 4097000}},
    // 15 outputs of 4 products, times alpha, plus 5 elements times beta.
    {"f32[1,5], f32[3,4], f32[4,5]",
     "beta=0.5f alpha=0.25f",
     "f32[3,5]",
     {.macs = 60, .flops = 155}},
};
constexpr Example kBaddbmm[] = {{"f32[2,4,5], f32[2,4,3], f32[2,3,5]",
                                 "beta=1 alpha=1",
                                 "f32[2,4,5]",
                                 {.macs = 120, .flops = 280}}};
constexpr Example kAddbmm[] = {{"f32[4,5], f32[2,4,3], f32[2,3,5]",
                                "beta=1 alpha=1",
                                "f32[4,5]",
                                {.macs = 120, .flops = 260}}};
constexpr Example kAddmv[] = {
    {"f32[3], f32[3,4], f32[4]", "beta=1 alpha=1", "f32[3]", {.macs = 12, .flops = 27}}};
constexpr Example kOuter[] = {{"f32[3], f32[4]", "", "f32[3,4]", {.macs = 0, .flops = 12}}};
constexpr Example kInner[] = {{"f32[2,4], f32[3,4]", "", "f32[2,3]", {.macs = 24}}};
constexpr Example kTensordot[] = {
    {"f32[2,3,4], f32[4,3,5]", "dims_self=1,2 dims_other=1,0", "f32[2,5]", {.macs = 2 * 5 * 12}}};
constexpr Example kVecdot[] = {{"f32[2,4], f32[2,4]", "dim=-1", "f32[2]", {.macs = 8}}};
constexpr Example kEinsum[] = {
    {"f32[2,3], f32[3,4]", "equation=\"ij, jk -> ik\" tensors=2", "f32[2,4]", {.macs = 24}},
    {"f32[7,2,3], f32[1,3,4]", "equation=\"...ij,...jk->...ik\"", "f32[7,2,4]", {.macs = 168}},
};
constexpr Example kGrouped[] = {
    // 10 tokens, each with the matrix of its expert.
    {"bf16[10,4], bf16[3,4,6], i32[3]", "", "bf16[10,6]", {.macs = 240}},
    {"bf16[4,10], bf16[10,6], i32[3]", "", "bf16[3,4,6]", {.macs = 240}},
};
// 6 pairs: 4 differences, 4 squares, 4 sums and a root each.
constexpr Example kCdist[] = {
    {"f32[2,4], f32[3,4]", "p=2.0f", "f32[2,3]", {.macs = 0, .flops = 6 * 13}},
    {"f32[2,4], f32[3,4]", "p=1.0f", "f32[2,3]", {.macs = 0, .flops = 6 * 12}},
};
// 3 pairs of 3 rows.
constexpr Example kPdist[] = {{"f32[3,4]", "p=2.0f", "f32[3]", {.macs = 0, .flops = 3 * 13}}};
// 3 rows of 7 outputs with 5·6 terms.
constexpr Example kTrilinear[] = {{"f32[3,5], f32[7,5,6], f32[3,6]",
                                   "expand1=1,3 expand2=0, expand3=1,2 sumdim=2,3",
                                   "f32[3,7]",
                                   {.macs = 630, .flops = 630 * 3}}};
constexpr Example kAddr[] = {
    {"f32[3,4], f32[3], f32[4]", "beta=1 alpha=1", "f32[3,4]", {.macs = 0, .flops = 24}}};
constexpr Example kEuclidean[] = {
    {"f32[2,4], f32[3,4]", "", "f32[2,3]", {.macs = 0, .flops = 6 * 13}}};
constexpr Example kDet[] = {{"f32[5,3,3]", "", "f32[5]", {.macs = 0, .flops = 75}}};

// The weights are stored the other way round, whatever an attribute might say.
constexpr AttributeName kLinearAttributes[] = {
    {Attr::TransposeFirst, ""},
    {Attr::TransposeSecond, "", 1},
};
constexpr AttributeName kAddmmAttributes[] = {
    {Attr::TransposeFirst, ""},
    {Attr::TransposeSecond, ""},
    {Attr::ProductScale, "alpha", 1},
    {Attr::BiasScale, "beta", 1},
};
constexpr Traits kLinearTraits = {.attributes = kLinearAttributes};
constexpr Traits kAddmmTraits = {
    .weights = 2, .bias = 0, .data = 1, .attributes = kAddmmAttributes};
constexpr Traits kOther = {.kind = LayerKind::Other, .product = Product::Other};
constexpr Traits kNoProduct = {.kind = LayerKind::Other, .product = Product::None};

// Registered by the package of that name, for mixtures of experts.
constexpr OpRule transformers(OpRule rule) {
  rule.domain = kTransformers;
  return rule;
}

constexpr OpRule kAtenMatmulRules[] = {
    aten_as("linear", "Gemm", linear_cost, kLinear, kLinearTraits),
    aten_as("mm", "MatMul", product_cost<0, 1>, kSparseMm),
    aten_as("_sparse_mm", "MatMul", product_cost<0, 1>, kSparseMm),
    aten_as("_sparse_addmm", "Gemm", added_product_cost, kSparseAddmm, kAddmmTraits),
    aten("_sparse_sparse_matmul", product_cost<0, 1>, kSparseSparse, kOther),
    aten("sparse_sampled_addmm", sampled_cost, kSampled, kOther),
    aten_as("bmm", "MatMul", product_cost<0, 1>, kBmm),
    aten_as("matmul", "MatMul", product_cost<0, 1>, kMatmul),
    aten_as("mv", "MatMul", product_cost<0, 1>, kMv),
    aten_like("dot", "MatMul", kDot),
    aten_like("vdot", "MatMul", kDot),
    aten_as("addmm", "Gemm", added_product_cost, kAddmm, kAddmmTraits),
    aten_as("baddbmm", "Gemm", added_product_cost, kBaddbmm, kAddmmTraits),
    aten_as("addbmm", "Gemm", added_batch_cost, kAddbmm, kAddmmTraits),
    aten_as("addmv", "Gemm", added_product_cost, kAddmv, kAddmmTraits),
    aten("outer", outer_cost, kOuter, kNoProduct),
    aten("ger", outer_cost, kOuter, kNoProduct),
    aten("addr", added_outer_cost, kAddr, kNoProduct),
    aten("_trilinear", trilinear_cost, kTrilinear, kOther),
    aten("inner", inner_cost, kInner, kOther),
    aten("tensordot", tensordot_cost, kTensordot, kOther),
    aten("linalg_vecdot", vecdot_cost, kVecdot, kOther),
    aten_like("einsum", "Einsum", kEinsum),
    aten_as("_grouped_mm", "MatMul", grouped_cost, kGrouped),
    transformers(aten_as("grouped_mm_fallback", "MatMul", grouped_cost, {kGrouped, 1})),
    aten_like("_int_mm", "MatMul", kMm),
    aten_like("_scaled_mm", "MatMul", kMm),
    aten("cdist", distances_cost, kCdist, kNoProduct),
    aten("_cdist_forward", distances_cost, kCdist, kNoProduct),
    aten("_euclidean_dist", distances_cost, kEuclidean, kNoProduct),
    aten("pdist", distances_cost, kPdist, kNoProduct),
    aten("_pdist_forward", distances_cost, kPdist, kNoProduct),
    aten_like("det", "Det", kDet),
};

}  // namespace

std::span<const OpRule> aten_matmul_rules() { return kAtenMatmulRules; }

}  // namespace strata
