// Systems of linear equations and factors of matrices in PyTorch. Systems are solved by
// elimination, as in the row of Det, and by substitution; neither is a product of matrices, so they
// have FLOPs and no MACs. Reflections and reductions have the counts of Golub and Van Loan, Matrix
// Computations, 4th edition, without lower powers of the sizes, half of them products and half
// sums. Eigenvalues and singular values are found by iterations whose number depends on the values:
// only the reductions before and the transformations after them are counted, which is a lower
// bound.
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

// Half of the operations are products, half sums.
void products_and_sums(CostContext& c, std::string_view what, const Expr& flops) {
  const Expr half = floor_div(flops, 2);
  c.muls({{"matrices", matrices_of(c)}, {what, half}});
  c.adds({{"matrices", matrices_of(c)}, {what, half}});
}

struct Sizes {
  Expr larger, smaller;
};
Sizes sizes_of(const NodeView& c) {
  const Expr rows = size_from_end(c.in(0), 1), columns = size_from_end(c.in(0), 0);
  return {max(rows, columns), min(rows, columns)};
}

// Householder's reflections, 2n²(m − n/3) for m×n, m ≥ n (5.2.2); of a wider matrix, the columns
// that are left over are reflected, too: 2m²(n − m/3), the same with m and n exchanged.
Expr reflections(const Sizes& s) {
  return floor_div(s.smaller * s.smaller * (s.larger * 3 - s.smaller) * 2, 3);
}
void geqrf_cost(CostContext& c) { products_and_sums(c, "reflections", reflections(sizes_of(c))); }
// Q of k columns of the size m from n reflections: 4mkn − 2(m + k)n² + 4n³/3 (5.1.6, LAPACK's
// orgqr).
Expr reflected_columns(const Expr& m, const Expr& k, const Expr& n) {
  return floor_div((m * k * n * 2 - (m + k) * n * n) * 6 + n * n * n * 4, 3);
}
void qr_cost(CostContext& c) {
  const Sizes s = sizes_of(c);
  geqrf_cost(c);
  if (c.text("mode", "reduced") == "r") return;
  products_and_sums(
      c, "columns of Q",
      reflected_columns(size_from_end(c.out(0), 1), size_from_end(c.out(0), 0), s.smaller));
}
void householder_cost(CostContext& c) {
  products_and_sums(c, "columns of Q",
                    reflected_columns(size_from_end(c.in(0), 1), size_from_end(c.in(0), 0),
                                      size_from_end(c.in(1), 0)));
}

constexpr std::string_view kIterates =
    "how many iterations find the values depends on them; only what comes before and after is "
    "counted";

// A reduction to three diagonals, 4n³/3 (8.3.1); for the vectors, their transformation back, 2n³.
void eigh_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0), cube = n * n * n;
  products_and_sums(c, "reduction", floor_div(cube * 4, 3));
  if (c.integer("compute_v", 1) != 0) products_and_sums(c, "vectors", cube * 2);
  c.at_least(kIterates);
}
// A reduction to Hessenberg form, 10n³/3, and its transformation, 4n³/3 (7.4.2).
void eig_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0), cube = n * n * n;
  products_and_sums(c, "reduction", floor_div(cube * 10, 3));
  products_and_sums(c, "transformation", floor_div(cube * 4, 3));
  c.at_least(kIterates);
}
// A reduction to two diagonals: 4mn² − 4n³/3, or by way of R 2mn² + 2n³, which is less for long
// matrices (5.4.9). The vectors of both sides are n columns transformed back: 2mn² and 2n³ at
// least.
void svd_cost(CostContext& c) {
  const auto [m, n] = sizes_of(c);
  const Expr square = n * n;
  products_and_sums(c, "reduction",
                    min(floor_div((m * 3 - n) * square * 4, 3), (m + n) * square * 2));
  if (c.integer("compute_uv", 1) != 0) products_and_sums(c, "vectors", (m + n) * square * 2);
  c.at_least(kIterates);
}

// Right sides and a triangle, with which both substitutions divide.
void cholesky_solve_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(1), 0);
  substitution(c, c.in_elements(0), n, true);
  substitution(c, c.in_elements(0), n, true);
}
void lu_solve_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  substitution(c, c.in_elements(2), n, false);
  substitution(c, c.in_elements(2), n, true);
}
// Counts as if the system were solved for the columns of the identity.
void cholesky_inverse_cost(CostContext& c) {
  const Expr n = size_from_end(c.in(0), 0);
  substitution(c, c.out_elements(0), n, true);
  substitution(c, c.out_elements(0), n, true);
}

// 4×3: 2·9·(4 − 1) = 54 operations; Q of 3 columns: 4·4·3·3 − 2·7·9 + 4·27/3 = 54.
constexpr Example kQr[] = {
    {"f32[4,3]", "mode=\"reduced\"", "f32[4,3], f32[3,3]", {.macs = 0, .flops = 54 + 54}},
    {"f32[4,3]", "mode=\"r\"", "f32[0], f32[3,3]", {.macs = 0, .flops = 54}},
    // Q of 4 columns: 4·4·4·3 − 2·8·9 + 36 = 84.
    {"f32[2,4,3]", "mode=\"complete\"", "f32[2,4,4], f32[2,4,3]", {.macs = 0, .flops = 2 * 138}},
};
constexpr Example kGeqrf[] = {{"f32[4,3]", "", "f32[4,3], f32[3]", {.macs = 0, .flops = 54}}};
constexpr Example kHouseholder[] = {{"f32[4,3], f32[3]", "", "f32[4,3]", {.macs = 0, .flops = 54}}};
// 6·6·6 = 216: 288 to three diagonals, 432 for the vectors.
constexpr Example kEigh[] = {
    {"f32[6,6]", "compute_v=1", "f32[6], f32[6,6]", {.macs = 0, .flops = 720}},
    {"f32[6,6]", "compute_v=0", "f32[6], f32[0]", {.macs = 0, .flops = 288}},
};
// 720 to Hessenberg form, 288 for its transformation.
constexpr Example kEig[] = {{"f32[6,6]", "", "c64[6], c64[6,6]", {.macs = 0, .flops = 1008}}};
// 6×6: 4·6·36 − 4·216/3 = 576; vectors 2·12·36 = 864. 60×6: 2·66·36 = 4752 by way of R.
constexpr Example kSvd[] = {
    {"f32[6,6]", "compute_uv=1", "f32[6,6], f32[6], f32[6,6]", {.macs = 0, .flops = 576 + 864}},
    {"f32[60,6]", "compute_uv=0", "f32[0], f32[6], f32[0]", {.macs = 0, .flops = 4752}},
};
// Two substitutions as below.
constexpr Example kLuSolve[] = {
    {"f32[3,3], i32[3], f32[3,2]", "", "f32[3,2]", {.macs = 0, .flops = 12 + 18}}};
constexpr Example kCholeskySolve[] = {
    {"f32[3,2], f32[3,3]", "", "f32[3,2]", {.macs = 0, .flops = 18 + 18}}};
constexpr Example kCholeskyInverse[] = {{"f32[3,3]", "", "f32[3,3]", {.macs = 0, .flops = 54}}};
constexpr Example kLu[] = {
    {"f32[5,3,3]", "", "f32[5,3,3], f32[5,3,3], f32[5,3,3]", {.macs = 0, .flops = 5 * 13}}};
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
// Like above, with 3 right sides.
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
    aten("linalg_lu", factors_cost, kLu, kNoProduct),
    aten("linalg_lu_solve", lu_solve_cost, kLuSolve, kNoProduct),
    aten("cholesky_solve", cholesky_solve_cost, kCholeskySolve, kNoProduct),
    aten("cholesky_inverse", cholesky_inverse_cost, kCholeskyInverse, kNoProduct),
    aten("linalg_qr", qr_cost, kQr, kNoProduct),
    aten("geqrf", geqrf_cost, kGeqrf, kNoProduct),
    aten("linalg_householder_product", householder_cost, kHouseholder, kNoProduct),
    aten("_linalg_eigh", eigh_cost, kEigh, kNoProduct),
    aten("linalg_eig", eig_cost, kEig, kNoProduct),
    aten("_linalg_svd", svd_cost, kSvd, kNoProduct),
};

}  // namespace

std::span<const OpRule> aten_solve_rules() { return kAtenSolveRules; }

}  // namespace strata
