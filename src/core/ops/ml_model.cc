// Classical machine learning: linear models, support vector machines and trees.
// Their weights are attributes.

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "strata/base/text_map.h"

namespace strata {
namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

// Rows of the input; a tensor with one axis is one row.
Expr rows_of(const NodeView& c) {
  if (!c.ranked(0)) return Expr::unknown();
  return c.rank(0) < 2 ? Expr(1) : c.dims(0)[0];
}

Expr rows_or_fresh(ShapeContext& c) { return c.ranked(0) ? rows_of(c) : c.fresh("rows"); }

std::int64_t length(std::span<const float> items) {
  return static_cast<std::int64_t>(items.size());
}

// The transformation of the scores at the end.
void post_transform_cost(CostContext& c, std::size_t output) {
  const std::string_view name = c.text("post_transform", "NONE");
  const Expr scores = c.out_elements(output);
  if (name == "SOFTMAX" || name == "SOFTMAX_ZERO") {
    c.adds({{"scores", scores}, {"softmax adds each", 3}});
    c.specials({{"scores", scores}, {"softmax operations each", 2}});
  } else if (name == "LOGISTIC") {
    c.adds({{"scores", scores}, {"logistic adds each", 1}});
    c.specials({{"scores", scores}, {"logistic operations each", 2}});
  } else if (name == "PROBIT") {
    c.specials({{"scores", scores}, {"probits each", 1}});
  }
}

// The best class of each row, and `scores` numbers per row.
void set_classes(ShapeContext& c, bool texts, const Expr& scores) {
  const Expr rows = rows_or_fresh(c);
  c.set(0, texts ? DType::String : DType::I64, {rows});
  c.set(1, DType::F32, {rows, scores});
}

// Counts the class labels. The list of integers has two names.
std::int64_t class_count(const NodeView& c) {
  const std::size_t count =
      std::max({c.texts("classlabels_strings").size(), c.integers("classlabels_ints").size(),
                c.integers("classlabels_int64s").size()});
  return static_cast<std::int64_t>(count);
}

Status classifier(ShapeContext& c) {
  const std::int64_t classes = class_count(c);
  set_classes(c, !c.texts("classlabels_strings").empty(),
              classes > 0 ? Expr(classes) : c.fresh("classes"));
  return {};
}

// For more than two classes, the definition says that there is one raw score per class, but in
// practice there is one per pair of classes.
Status svm_classifier(ShapeContext& c) {
  const std::int64_t classes = class_count(c);
  const bool linear = c.integers("vectors_per_class").empty();
  const bool per_class = classes > 0 && (classes <= 2 || linear || !c.reals("prob_a").empty());
  set_classes(c, !c.texts("classlabels_strings").empty(),
              per_class ? Expr(classes) : c.fresh("scores"));
  return {};
}

template <DType type>
Status regressor(ShapeContext& c, std::int64_t targets) {
  if (targets < 0) return c.error("its number of targets is negative");
  c.set(0, type == DType::Undefined ? c.dtype(0) : type, {rows_or_fresh(c), targets});
  return {};
}

Status linear_regressor(ShapeContext& c) {
  return regressor<DType::F32>(c, c.integer("targets", 1));
}
Status svm_regressor(ShapeContext& c) { return regressor<DType::F32>(c, 1); }
Status tree_regressor(ShapeContext& c) {
  return regressor<DType::F32>(c, c.integer("n_targets", 1));
}
Status tree_ensemble(ShapeContext& c) {
  return regressor<DType::Undefined>(c, c.integer("n_targets", 1));
}

template <std::size_t output>
void linear_cost(CostContext& c) {
  c.macs({{"rows", rows_of(c)}, {"coefficients", length(c.reals("coefficients"))}});
  c.adds({{"rows", rows_of(c)}, {"intercepts", length(c.reals("intercepts"))}});
  post_transform_cost(c, output);
}

// The kernel of each row with each support vector, then the weighted sums.
template <std::size_t output>
void svm_cost(CostContext& c) {
  const Expr rows = rows_of(c);
  const std::string_view kernel = c.text("kernel_type", "LINEAR");
  const Expr features = c.ranked(0) && c.rank(0) > 0 ? size_from_end(c.in(0), 0) : Expr::unknown();
  const Expr elements = length(c.reals("support_vectors"));
  const Expr vectors = floor_div(elements, features);
  c.macs({{"rows", rows}, {"support vector elements", elements}});
  c.macs({{"rows", rows}, {"coefficients", length(c.reals("coefficients"))}});
  c.adds({{"rows", rows}, {"offsets", length(c.reals("rho"))}});
  if (kernel == "RBF") {  // exp(-gamma·|x - v|²)
    c.adds({{"rows", rows}, {"differences", elements}});
    c.muls({{"rows", rows}, {"support vectors", vectors}});
    c.specials({{"rows", rows}, {"exponentials", vectors}});
  } else if (kernel == "POLY" || kernel == "SIGMOID") {  // f(gamma·x·v + coef0)
    c.muls({{"rows", rows}, {"support vectors", vectors}});
    c.adds({{"rows", rows}, {"support vectors", vectors}});
    c.specials({{"rows", rows}, {"powers or tangents", vectors}});
  }
  post_transform_cost(c, output);
}

// At least one comparison and one vote per tree.
void forest_cost(CostContext& c, const Expr& trees, std::size_t output) {
  c.adds({{"rows", rows_of(c)}, {"trees", trees}, {"comparison and vote", 2}});
  c.at_least("how deep a tree is walked depends on the data");
  post_transform_cost(c, output);
}

template <std::size_t output>
void tree_cost(CostContext& c) {
  const auto ids = c.integers("nodes_treeids");
  const NumberSet trees(ids.begin(), ids.end());
  forest_cost(c, static_cast<std::int64_t>(trees.size()), output);
}

void tree_ensemble_cost(CostContext& c) {
  forest_cost(c, static_cast<std::int64_t>(c.integers("tree_roots").size()), 0);
}

constexpr Example kLinearClassifier[] = {
    {"f32[5,2]",
     "classlabels_ints=0,1,2 coefficients=1f,2f,3f,4f,5f,6f intercepts=1f,2f,3f",
     "i64[5], f32[5,3]",
     {.macs = 30, .flops = 60 + 15}},
    {"f32[5,2]",
     "classlabels_ints=0,1 coefficients=1f,2f,3f,4f post_transform=\"LOGISTIC\"",
     "i64[5], f32[5,2]",
     {.macs = 20, .flops = 40 + 30}},
};
constexpr Example kLinearRegressor[] = {
    {"f32[N,2]", "targets=2 coefficients=1f,2f,3f,4f", "f32[N,2]"},
    {"f32[2]", "coefficients=1f,2f intercepts=1f,", "f32[1,1]", {.macs = 2, .flops = 5}},
};
constexpr Example kSvmClassifier[] = {
    {"f32[3,2]",
     "classlabels_ints=0,1 vectors_per_class=1,1 support_vectors=1f,2f,3f,4f coefficients=1f,2f "
     "rho=1f,",
     "i64[3], f32[3,2]",
     {.macs = 12 + 6, .flops = 36 + 3}},
};
constexpr Example kSvmRegressor[] = {
    {"f32[3,2]",
     "kernel_type=\"RBF\" support_vectors=1f,2f,3f,4f coefficients=1f,2f rho=1f,",
     "f32[3,1]",
     {.macs = 12 + 6, .flops = 36 + 3 + 12 + 6 + 6}},
};
constexpr Example kTreeClassifier[] = {
    {"f32[4,3]",
     "classlabels_int64s=0,1,2 nodes_treeids=0,0,0,1,1,1",
     "i64[4], f32[4,3]",
     {.macs = 0, .flops = 16}},
};
constexpr Example kTreeRegressor[] = {
    {"f64[N,3]", "n_targets=2 nodes_treeids=0,0,0", "f32[N,2]"},
};
constexpr Example kTreeEnsemble[] = {
    {"f64[4,3]", "n_targets=2 tree_roots=0,3", "f64[4,2]", {.flops = 16}, 5},
};

constexpr OpRule kMlModelRules[] = {
    any_rank_in(kMl, "LinearClassifier", 1, classifier, linear_cost<1>, kLinearClassifier),
    any_rank_in(kMl, "LinearRegressor", 1, linear_regressor, linear_cost<0>, kLinearRegressor),
    any_rank_in(kMl, "SVMClassifier", 1, svm_classifier, svm_cost<1>, kSvmClassifier),
    any_rank_in(kMl, "SVMRegressor", 1, svm_regressor, svm_cost<0>, kSvmRegressor),
    any_rank_in(kMl, "TreeEnsemble", 5, tree_ensemble, tree_ensemble_cost, kTreeEnsemble),
    any_rank_in(kMl, "TreeEnsembleClassifier", 1, classifier, tree_cost<1>, kTreeClassifier),
    any_rank_in(kMl, "TreeEnsembleRegressor", 1, tree_regressor, tree_cost<0>, kTreeRegressor),
};

}  // namespace

std::span<const OpRule> ml_model_rules() { return kMlModelRules; }

}  // namespace strata
