// Reductions of PyTorch along axes.
#include <cmath>

#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

void comparison_cost(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}});
}

// The mean, the difference from it, its square and their sum; two divisions for each result.
void variance(CostContext& c, int roots) {
  const Expr inputs = c.in_elements(0);
  c.adds({{"inputs", inputs}, {"mean, difference, sum of squares", 3}});
  c.muls({{"inputs, squares", inputs}});
  c.specials({{"outputs", c.out_elements(0)}, {"two means and roots", 2 + roots}});
}
void var_cost(CostContext& c) { variance(c, 0); }
void std_cost(CostContext& c) { variance(c, 1); }

// The greatest, the exponentials of differences from it, their sum; its logarithm plus the
// greatest.
void logsumexp_cost(CostContext& c) { cost_as(c, "ReduceLogSumExp"); }

// (Σ|x|^p)^(1/p); of a norm of infinity the greatest. The attribute is called `ord` or `p`.
void vector_norm_cost(CostContext& c) {
  const double p = number_of(c, "ord", number_of(c, "p", 2));
  if (p == 2) return cost_as(c, "ReduceL2");
  if (p == 1) return cost_as(c, "ReduceL1");
  const Expr inputs = c.in_elements(0);
  if (std::isinf(p) || p == 0) {
    c.adds({{"inputs", inputs}, {"absolute value, comparison", 2}});
    return;
  }
  c.adds({{"inputs", inputs}, {"absolute value, sum", 2}});
  c.specials({{"inputs, powers", inputs}});
  c.specials({{"outputs, roots", c.out_elements(0)}});
}

void sorted_cost(CostContext& c) {
  comparison_cost(c);
  c.at_least("a median is counted as one comparison per element; a sort needs more");
}

constexpr Example kSum[] = {
    {"f32[2,3,4]", "dim=1, keepdim=0", "f32[2,4]", {.macs = 0, .flops = 24}},
    {"f32[N,3]", "", "f32[]"},
};
constexpr Example kMean[] = {
    {"f32[1,1280,7,7]", "dim=2,3 keepdim=0", "f32[1,1280]", {.macs = 0, .flops = 62720 + 1280}}};
constexpr Example kWhole[] = {{"f32[2,3]", "", "f32[]", {.macs = 0, .flops = 6}}};
constexpr Example kAlong[] = {{"f32[2,3]", "dim=1, keepdim=0", "f32[2]", {.macs = 0, .flops = 6}}};
constexpr Example kWithIndices[] = {
    {"f32[2,3]", "dim=1 keepdim=0", "f32[2], i64[2]", {.macs = 0, .flops = 6}}};
constexpr Example kIndices[] = {{"f32[2,3]", "dim=1 keepdim=0", "i64[2]", {.macs = 0, .flops = 6}}};
constexpr Example kTruth[] = {{"bool[2,3]", "dim=1 keepdim=0", "bool[2]", {.flops = 6}}};
constexpr Example kBoth[] = {{"f32[2,3]", "dim=1", "f32[2], f32[2]", {.macs = 0, .flops = 12}}};
// 6 elements with 4 operations, 2 results with 2 divisions.
constexpr Example kVar[] = {
    {"f32[2,3]", "dim=1, correction=1 keepdim=0", "f32[2]", {.macs = 0, .flops = 28}}};
constexpr Example kStd[] = {
    {"f32[2,3]", "dim=1, correction=1 keepdim=0", "f32[2]", {.macs = 0, .flops = 30}}};
constexpr Example kVarMean[] = {
    {"f32[2,3]", "dim=1, correction=0", "f32[2], f32[2]", {.macs = 0, .flops = 28}}};
constexpr Example kStdMean[] = {
    {"f32[2,3]", "dim=1, correction=0", "f32[2], f32[2]", {.macs = 0, .flops = 30}}};
constexpr Example kLogSumExp[] = {
    {"f32[2,3]", "dim=1, keepdim=1", "f32[2,1]", {.macs = 0, .flops = 14}}};
constexpr Example kNorm[] = {
    // 8 elements squared and added, 2 roots.
    {"f32[2,4]", "ord=2 dim=1, keepdim=0", "f32[2]", {.macs = 0, .flops = 18}},
    {"f32[2,4]", "ord=1 dim=1, keepdim=0", "f32[2]", {.macs = 0, .flops = 16}},
    // 8 absolute values, powers and sums, 2 roots.
    {"f32[2,4]", "p=3 dim=1, keepdim=0", "f32[2]", {.macs = 0, .flops = 26}},
};
constexpr Example kMedian[] = {{"f32[5]", "", "f32[]", {.macs = 0, .flops = 5}}};

constexpr OpRule kAtenReduceRules[] = {
    aten_like("sum", "ReduceSum", kSum),
    aten_like("nansum", "ReduceSum", kSum),
    aten_like("mean", "ReduceMean", kMean),
    aten_like("prod", "ReduceProd", kAlong),
    aten_like("amax", "ReduceMax", kAlong),
    aten_like("amin", "ReduceMin", kAlong),
    aten_like("max", "ReduceMax", kWhole),
    aten_like("min", "ReduceMin", kWhole),
    aten("max.dim", comparison_cost, kWithIndices),
    aten("min.dim", comparison_cost, kWithIndices),
    aten_like("argmax", "ArgMax", kIndices),
    aten_like("argmin", "ArgMin", kIndices),
    aten(
        "aminmax",
        [](CostContext& c) {
          c.adds({{"inputs", c.in_elements(0)}, {"each", 2}});
        },
        kBoth),
    aten("any", comparison_cost, kTruth),
    aten("all", comparison_cost, kTruth),
    aten("_is_all_true", comparison_cost, kTruth),
    aten("_is_any_true", comparison_cost, kTruth),
    aten("count_nonzero", comparison_cost, kIndices),
    aten("var", var_cost, kVar),
    aten("std", std_cost, kStd),
    aten("var_mean", var_cost, kVarMean),
    aten("std_mean", std_cost, kStdMean),
    aten("logsumexp", logsumexp_cost, kLogSumExp),
    aten("linalg_vector_norm", vector_norm_cost, kNorm),
    aten("norm", vector_norm_cost, kNorm),
    aten("median", sorted_cost, kMedian),
    aten("nanmedian", sorted_cost, kMedian),
};

}  // namespace

std::span<const OpRule> aten_reduce_rules() { return kAtenReduceRules; }

}  // namespace strata
