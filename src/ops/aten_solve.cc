// Systems of linear equations in PyTorch. They are solved by elimination, as in the row of Det, and
// by substitution; neither is a product of matrices, so they have FLOPs and no MACs.
#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

Expr matrices_of(const NodeView& c) {
  return c.rank(0) < 2 ? Expr::unknown() : product_of(c.in(0), 0, c.rank(0) - 2);
}

// L and U of n×n matrices.
void elimination(CostContext& c, const Expr& matrices, const Expr& n) {
  const Expr updates = floor_div((n - 1) * n * (n * 2 - 1), 6);
  c.specials({{"matrices", matrices}, {"quotients", floor_div(n * (n - 1), 2)}});
  c.muls({{"matrices", matrices}, {"products", updates}});
  c.adds({{"matrices", matrices}, {"differences", updates}});
}

// Each unknown of n takes the known ones before it off, which are (n - 1)/2 of them on average;
// then it is divided by the diagonal, unless that is 1.
void substitution(CostContext& c, const Expr& unknowns, const Expr& n, bool divides) {
  const Expr known = floor_div(unknowns * (n - 1), 2);
  c.muls({{"known before unknowns", known}});
  c.adds({{"known before unknowns", known}});
  if (divides) c.specials({{"unknowns, quotients", unknowns}});
}

// A triangle, and the right sides.
void triangular_cost(CostContext& c) {
  const bool ones = c.integer("unitriangular", 0) != 0;
  substitution(c, c.out_elements(0), size_from_end(c.in(0), 0), !ones);
}

// An elimination, then two substitutions, of which L's diagonal is 1. An inverse is the solution
// for the columns of the identity.
void solve_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  elimination(c, matrices_of(c), n);
  substitution(c, c.out_elements(0), n, false);
  substitution(c, c.out_elements(0), n, true);
}

void factors_cost(CostContext& c) { elimination(c, matrices_of(c), size_from_end(c.in(0), 0)); }

// Beside the elimination the logarithms along the diagonal, and their sum.
void log_det_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  elimination(c, matrices_of(c), n);
  c.specials({{"matrices", matrices_of(c)}, {"logarithms", n}});
  c.adds({{"matrices", matrices_of(c)}, {"absolute values, sum", n * 2}});
}

void cholesky_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  const Expr updates = floor_div(n * (n * n - 1), 6);
  c.muls({{"matrices", matrices_of(c)}, {"products", updates}});
  c.adds({{"matrices", matrices_of(c)}, {"differences", updates}});
  c.specials({{"matrices", matrices_of(c)}, {"quotients", floor_div(n * (n - 1), 2)}});
  c.specials({{"matrices", matrices_of(c)}, {"roots", n}});
}

// 2 right sides of 3 unknowns, with 0, 1 and 2 known ones before them: 6 products, 6 differences
// and 6 quotients.
constexpr Example kTriangular[] = {
    {"f32[3,3], f32[3,2]", "upper=0", "f32[3,2]", {.macs = 0, .flops = 18}},
    {"f32[3,3], f32[3,2]", "upper=0 unitriangular=1", "f32[3,2]", {.macs = 0, .flops = 12}},
};
// An elimination of 5 products, 5 differences and 3 quotients, then 12 and 18 as above.
constexpr Example kSolve[] = {{"f32[3,3], f32[3,2]",
                               "left=1",
                               "f32[3,2], f32[3,3], i32[3], i32[]",
                               {.macs = 0, .flops = 13 + 12 + 18}}};
// The same with 3 right sides.
constexpr Example kInverse[] = {
    {"f32[3,3]", "", "f32[3,3], i32[]", {.macs = 0, .flops = 13 + 18 + 27}}};
constexpr Example kFactors[] = {
    {"f32[5,3,3]", "", "f32[5,3,3], i32[5,3], i32[5]", {.macs = 0, .flops = 5 * 13}}};
constexpr Example kDet[] = {
    {"f32[5,3,3]", "", "f32[5], f32[5,3,3], i32[5,3]", {.macs = 0, .flops = 75}}};
constexpr Example kLogDet[] = {{"f32[5,3,3]",
                                "",
                                "f32[5], f32[5], f32[5,3,3], i32[5,3]",
                                {.macs = 0, .flops = 5 * (13 + 3 + 6)}}};
// √a; b/√a; √(c - b²/a): 1 product, 1 difference, 1 quotient, 2 roots.
constexpr Example kCholesky[] = {{"f32[2,2]", "", "f32[2,2], i32[]", {.macs = 0, .flops = 5}}};

constexpr Traits kNoProduct = {.kind = LayerKind::Other, .product = Product::None};

constexpr OpRule kAtenSolveRules[] = {
    aten("linalg_solve_triangular", triangular_cost, kTriangular, kNoProduct),
    aten("_linalg_solve_ex", solve_cost, kSolve, kNoProduct),
    aten("linalg_inv_ex", solve_cost, kInverse, kNoProduct),
    aten("linalg_lu_factor_ex", factors_cost, kFactors, kNoProduct),
    aten_like("_linalg_det", "Det", kDet),
    aten("_linalg_slogdet", log_det_cost, kLogDet, kNoProduct),
    aten("linalg_cholesky_ex", cholesky_cost, kCholesky, kNoProduct),
};

}  // namespace

std::span<const OpRule> aten_solve_rules() { return kAtenSolveRules; }

}  // namespace strata
