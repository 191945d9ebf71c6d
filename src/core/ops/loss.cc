// Losses over classes: scores N×C×…, labels N×….
#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {
namespace {

bool is_reduced(const NodeView& c) { return c.text("reduction", "mean") != "none"; }

Status class_loss(ShapeContext& c) {
  c.share_type(1, 0);  // logarithms of the probabilities, if there are any
  if (is_reduced(c)) {
    c.set(0, c.dtype(0), {});
  } else if (c.ranked(1)) {
    c.set(0, c.dtype(0), c.dims(1));
  } else if (c.ranked(0) && c.rank(0) >= 2) {
    Dims dims = c.dims(0);
    dims.erase(1);
    c.set(0, c.dtype(0), std::move(dims));
  } else {
    c.set_unranked(0, c.dtype(0));
  }
  if (!c.ranked(0) || !c.ranked(1)) return {};
  if (c.rank(0) < 2 || c.rank(1) + 1 != c.rank(0)) {
    return c.error("its scores must have one axis (the classes) more than its labels");
  }
  for (std::size_t i = 0; i < c.rank(1); ++i) {
    if (clash(c.dims(1)[i], c.dims(0)[i == 0 ? 0 : i + 1])) {
      return c.error("its scores and labels have different sizes");
    }
  }
  return {};
}

// Per label, a negation and a product with the weight of its class; then a sum and, for a mean, the
// sum of the weights and one division.
void pick_cost(CostContext& c) {
  const Expr labels = c.in_elements(1);
  const bool weighted = c.has(2);
  const bool mean = c.text("reduction", "mean") == "mean";
  c.adds({{"labels", labels}, {"negations each", 1}});
  if (weighted) c.muls({{"labels", labels}, {"weights each", 1}});
  if (is_reduced(c)) {
    c.adds({{"labels", labels}, {"sums", mean && weighted ? 2 : 1}});
  }
  if (mean) c.specials({{"divisions", 1}});
}

// Only the scores of the labels are read.
void negative_log_likelihood_cost(CostContext& c) {
  pick_cost(c);
  const Expr labels = c.in_elements(1);
  Expr read = bytes(labels, c.dtype(0)) + bytes(labels, c.dtype(1));
  if (c.has(2)) read += bytes(c.in_elements(2), c.dtype(2));
  c.reads(std::move(read));
}

// First the logarithm of a softmax: per score a maximum, two differences, an exponential and a sum;
// per label one logarithm.
void softmax_cross_entropy_cost(CostContext& c) {
  c.adds({{"scores", c.in_elements(0)}, {"adds each", 4}});
  c.specials({{"scores", c.in_elements(0)}, {"exponentials each", 1}});
  c.specials({{"labels", c.in_elements(1)}, {"logarithms each", 1}});
  pick_cost(c);
}

constexpr Example kNegativeLogLikelihood[] = {
    {"f32[3,5], i64[3]", "reduction=\"none\"", "f32[3]", {.macs = 0, .flops = 3}},
    {"f32[3,5,2], i64[3,2]", "", "f32[]", {.macs = 0, .flops = 6 + 6 + 1}},
    {"f32[3,5], i64[3], f32[5]", "", "f32[]", {.macs = 0, .flops = 3 + 3 + 6 + 1}},
};
constexpr Example kSoftmaxCrossEntropy[] = {
    {"f32[3,5], i64[3]", "reduction=\"sum\"", "f32[], f32[3,5]", {.flops = 75 + 3 + 3 + 3}},
    {"f32[N,5,2], i64[N,2]", "reduction=\"none\"", "f32[N,2]"},
};

constexpr OpRule kLossRules[] = {
    any_rank("NegativeLogLikelihoodLoss", 12, class_loss, negative_log_likelihood_cost,
             kNegativeLogLikelihood),
    any_rank("SoftmaxCrossEntropyLoss", 12, class_loss, softmax_cross_entropy_cost,
             kSoftmaxCrossEntropy),
};

}  // namespace

std::span<const OpRule> loss_rules() { return kLossRules; }

}  // namespace strata
