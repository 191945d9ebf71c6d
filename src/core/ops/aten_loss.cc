// Losses of PyTorch and their gradients. The gradient of a loss is one number where the loss is.
#include <algorithm>

#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// One element per target is taken, with the weight of its class; they are added up and divided.
void nll_loss_cost(CostContext& c) {
  const Expr targets = c.in_elements(1);
  if (c.has(2)) c.muls({{"targets, weights", targets}});
  c.adds({{"targets, signs", targets}});
  if (c.integer("reduction", 1) != 0) c.adds({{"targets, sum", targets}});
  if (c.integer("reduction", 1) == 1) c.specials({{"mean", 1}});
}
void nll_loss_backward_cost(CostContext& c) {
  const Expr targets = c.in_elements(2);
  c.adds({{"targets, signs", targets}});
  if (c.has(3)) c.muls({{"targets, weights", targets}});
  if (c.integer("reduction", 1) == 1) c.specials({{"targets, mean", targets}});
}

// Computes a loss for each pair of elements, then their sum.
void reduced(CostContext& c, const Expr& losses) {
  if (c.integer("reduction", 1) != 0) c.adds({{"losses, sum", losses}});
  if (c.integer("reduction", 1) == 1) c.specials({{"mean", 1}});
}
template <int adds, int muls, int specials>
void loss_cost(CostContext& c) {
  const Expr pairs = c.in_elements(0);
  c.adds({{"elements", pairs}, {"sums, comparisons", adds}});
  c.muls({{"elements", pairs}, {"products", muls}});
  if constexpr (specials > 0) c.specials({{"elements", pairs}, {"functions", specials}});
  reduced(c, pairs);
}
// Input 1 has the elements: the gradient is one number where the loss is.
template <int adds, int muls, int specials>
void loss_backward_cost(CostContext& c) {
  const Expr pairs = c.in_elements(1);
  c.adds({{"elements", pairs}, {"sums, comparisons", adds}});
  c.muls({{"elements", pairs}, {"products", muls}});
  if constexpr (specials > 0) c.specials({{"elements", pairs}, {"functions", specials}});
}

// (1 - y)·x - log(sigmoid(x)), in which a weight of positives is 1 + (w - 1)·y times the logarithm.
void logits_cost(CostContext& c) {
  const Expr pairs = c.in_elements(0);
  c.adds({{"elements", pairs}, {"two differences, sigmoid", 3}});
  c.muls({{"elements, product", pairs}});
  c.specials({{"elements", pairs}, {"sigmoid, logarithm", 3}});
  if (c.has(2)) c.muls({{"elements, weights", pairs}});
  if (c.has(3)) {
    c.adds({{"elements", pairs}, {"weights of positives", 2}});
    c.muls({{"elements", pairs}, {"weights of positives", 2}});
  }
  reduced(c, pairs);
}

// For each class but the target: max(0, margin - x of the target + x), perhaps its square; then the
// mean over the classes.
void multi_margin_cost(CostContext& c) {
  const Expr rows = c.in_elements(1), others = c.in_elements(0) - rows;
  c.adds({{"other classes", others}, {"two differences, comparison, sum", 4}});
  if (number_of(c, "p", 1) == 2) c.muls({{"other classes, squares", others}});
  if (c.has(2)) c.muls({{"other classes, weights", others}});
  c.specials({{"rows, means", rows}});
  reduced(c, rows);
}

// Steps of a state after the first, for log probabilities of (time, batch, classes), a batch of 1
// if it has no axis. Each sample has 2·targets + 1 states, the targets and the blanks around them;
// the second output has room for all of them. Lengths that are tensors are those of the longest
// sample.
Expr ctc_steps(const CostContext& c, const TypeInfo& alpha) {
  const auto times = c.integers("input_lengths"), targets = c.integers("target_lengths");
  if (times.empty() || times.size() != targets.size())
    return size_at(alpha, 0) * (size_at(alpha, 1) - 1) * size_at(alpha, 2);
  Expr steps = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    steps += Expr(std::max<std::int64_t>(times[i] - 1, 0)) * (Expr(targets[i]) * 2 + 1);
  return steps;
}
// The logarithm of a sum of three exponentials, less the largest and plus it again, and the
// probability of the state (Graves et al. 2006, equation 6; LossCTC.cpp).
void ctc_recursion(CostContext& c, const Expr& steps) {
  c.adds({{"steps", steps}, {"comparisons, differences, sums", 9}});
  c.specials({{"steps", steps}, {"exponentials, logarithm", 4}});
}
void ctc_loss_cost(CostContext& c) { ctc_recursion(c, ctc_steps(c, c.out(1))); }
// gradient, log probabilities, targets, lengths, loss, alphas: the recursion backwards; both ends
// of a step meet in a logarithm of a sum of two exponentials per class; then exp(p) − exp(sum +
// loss − p) for each class, times the gradient.
void ctc_loss_backward_cost(CostContext& c) {
  const std::size_t alphas = c.input_count() - 1;
  const Expr steps = ctc_steps(c, c.in(alphas)), classes = c.in_elements(1);
  ctc_recursion(c, steps);
  c.adds({{"steps", steps}, {"sums, comparison, differences", 6}});
  c.specials({{"steps", steps}, {"exponentials, logarithm", 3}});
  c.adds({{"classes", classes}, {"sum, differences", 3}});
  c.specials({{"classes", classes}, {"exponentials", 2}});
  c.muls({{"classes, gradient", classes}});
}

// 2 samples of 10 steps with 4 targets: 9 states, 9 steps after the first, 13 operations each.
constexpr Example kCtc[] = {
    {"f32[10,2,5], i64[2,4], i64[2], i64[2]",
     "",
     "f32[2], f32[2,10,9]",
     {.macs = 0, .flops = 2 * 9 * 9 * 13}},
    // 10 and 5 steps, 4 and 2 targets: 9·9 + 4·5 = 101.
    {"f32[10,2,5], i64[2,4]",
     "input_lengths=10,5 target_lengths=4,2",
     "f32[2], f32[2,10,9]",
     {.macs = 0, .flops = 101 * 13}},
};
// The recursion backwards, 9 operations more for each step, and 6 for each of 100 probabilities.
constexpr Example kCtcBackward[] = {
    {"f32[2], f32[10,2,5], i64[2,4], i64[2], i64[2], f32[2], f32[2,10,9]",
     "",
     "f32[10,2,5]",
     {.macs = 0, .flops = 2 * 9 * 9 * (13 + 9) + 100 * 6}}};

constexpr std::string_view kPair = "f32[2,3], f32[2,3]";
// 4 targets: a sign and a sum each, and a quotient.
constexpr Example kNll[] = {
    {"f32[4,10], i64[4], _", "reduction=1", "f32[], f32[]", {.macs = 0, .flops = 9}},
    {"f32[4,10], i64[4], f32[10]", "reduction=2", "f32[], f32[]", {.macs = 0, .flops = 12}},
};
constexpr Example kNllBackward[] = {
    {"f32[], f32[4,10], i64[4], _, f32[]", "reduction=1", "f32[4,10]", {.macs = 0, .flops = 8}}};
// 6 pairs: a difference, a square and a sum each, and a quotient.
constexpr Example kMse[] = {
    {kPair, "reduction=1", "f32[]", {.macs = 0, .flops = 19}},
    {kPair, "reduction=0", "f32[2,3]", {.macs = 0, .flops = 12}},
};
constexpr std::string_view kLossInputs = "f32[], f32[2,3], f32[2,3]";
constexpr Example kMseBackward[] = {
    {kLossInputs, "reduction=1", "f32[2,3]", {.macs = 0, .flops = 18}}};
// A difference, its absolute value, a comparison and two products; then the mean.
constexpr Example kSmooth[] = {{kPair, "reduction=1 beta=1.0f", "f32[]", {.macs = 0, .flops = 37}}};
// A difference, two comparisons and two products.
constexpr Example kSmoothBackward[] = {
    {kLossInputs, "reduction=1 beta=1.0f", "f32[2,3]", {.macs = 0, .flops = 30}}};
// y·log(x) + (1 - y)·log(1 - x): 2 products, 4 sums and signs, 2 functions; then the mean.
constexpr Example kBce[] = {{kPair, "reduction=1", "f32[]", {.macs = 0, .flops = 6 * 9 + 1}}};
// g·(x - y)/(x·(1 - x)): 2 differences, 2 products, a quotient.
constexpr Example kBceBackward[] = {
    {kLossInputs, "reduction=1", "f32[2,3]", {.macs = 0, .flops = 30}}};
// (1 - y)·x, log(sigmoid(x)) of 4, and their difference; then the mean.
constexpr Example kLogits[] = {
    {kPair, "reduction=1", "f32[]", {.macs = 0, .flops = 6 * 8 + 1}},
    {"f32[2,3], f32[2,3], _, f32[3]", "reduction=0", "f32[2,3]", {.macs = 0, .flops = 6 * 11}},
};
// log(1 + exp(-y·x)): a product, a sign, a sum and two functions.
constexpr Example kSoftMargin[] = {
    {kPair, "reduction=1", "f32[]", {.macs = 0, .flops = 6 * 6 + 1}}};
constexpr Example kSoftMarginBackward[] = {
    {kLossInputs, "reduction=1", "f32[2,3]", {.macs = 0, .flops = 6 * 7}}};
// 2 rows with 2 other classes of 4 operations, a mean each; then the mean of both.
constexpr Example kMultiMargin[] = {
    {"f32[2,3], i64[2]", "p=1 margin=1 reduction=1", "f32[]", {.macs = 0, .flops = 16 + 2 + 3}}};

constexpr Traits kLoss = {
    .kind = LayerKind::Other, .product = Product::None, .int8 = Int8Use::None};

constexpr OpRule loss(std::string_view name, CostRule cost, std::span<const Example> examples) {
  return aten(name, cost, examples, kLoss);
}

constexpr OpRule kAtenLossRules[] = {
    loss("nll_loss_forward", nll_loss_cost, kNll),
    loss("nll_loss2d_forward", nll_loss_cost, kNll),
    loss("nll_loss_backward", nll_loss_backward_cost, kNllBackward),
    loss("nll_loss2d_backward", nll_loss_backward_cost, kNllBackward),
    loss("mse_loss", loss_cost<1, 1, 0>, kMse),
    loss("mse_loss_backward", loss_backward_cost<1, 2, 0>, kMseBackward),
    loss("smooth_l1_loss", loss_cost<3, 2, 0>, kSmooth),
    loss("huber_loss", loss_cost<3, 2, 0>, kSmooth),
    loss("smooth_l1_loss_backward", loss_backward_cost<3, 2, 0>, kSmoothBackward),
    loss("huber_loss_backward", loss_backward_cost<3, 2, 0>, kSmoothBackward),
    loss("binary_cross_entropy", loss_cost<4, 2, 2>, kBce),
    loss("binary_cross_entropy_backward", loss_backward_cost<2, 2, 1>, kBceBackward),
    loss("binary_cross_entropy_with_logits", logits_cost, kLogits),
    loss("soft_margin_loss", loss_cost<2, 1, 2>, kSoftMargin),
    loss("soft_margin_loss_backward", loss_backward_cost<2, 3, 2>, kSoftMarginBackward),
    loss("multi_margin_loss", multi_margin_cost, kMultiMargin),
    loss("_ctc_loss", ctc_loss_cost, kCtc),
    loss("_ctc_loss_backward", ctc_loss_backward_cost, kCtcBackward),
};

}  // namespace

std::span<const OpRule> aten_loss_rules() { return kAtenLossRules; }

}  // namespace strata
