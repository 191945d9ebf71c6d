// One step of training: optimizers, and the derivative of a network.
#include "ops/common.h"
#include "ops/registry.h"

namespace strata {
namespace {

constexpr std::string_view kPreview = "ai.onnx.preview.training";
// Some exporters also use this domain for the same operators.
constexpr std::string_view kTraining = "ai.onnx.training";

// Inputs: rate, step, then `groups` groups of n tensors: values, gradients and states. Outputs: the
// values and the states.
template <std::size_t groups>
Status optimizer(ShapeContext& c) {
  const std::size_t tensors = c.input_count() < 2 ? 0 : c.input_count() - 2;
  if (tensors == 0 || tensors % groups != 0) {
    return c.error("its inputs are not a rate, a step and groups of equally many tensors");
  }
  const std::size_t count = tensors / groups;
  for (std::size_t i = 0; i < count; ++i) {
    c.set(i, c.in(2 + i));
    for (std::size_t state = 1; state + 1 < groups; ++state) {
      c.set(state * count + i, c.in(2 + (state + 1) * count + i));
    }
  }
  return {};
}

// The number of all elements that are optimized.
template <std::size_t groups>
Expr optimized(const CostContext& c) {
  const std::size_t count = c.input_count() < 2 ? 0 : (c.input_count() - 2) / groups;
  Expr total = 0;
  for (std::size_t i = 0; i < count; ++i) total += c.in_elements(2 + i);
  return total;
}

struct ElementWork {
  int adds, muls, specials;
};

void state_work(CostContext& c, const Expr& elements, ElementWork work) {
  // Adds the gradient of the squared weights if requested.
  if (c.real("norm_coefficient", 0) != 0) ++work.adds, ++work.muls;
  c.adds({{"elements", elements}, {"adds each", work.adds}});
  c.muls({{"elements", elements}, {"muls each", work.muls}});
  if (work.specials > 0) c.specials({{"elements", elements}, {"operations each", work.specials}});
}

// h += g²; x -= r·g/(√h + ε)
void adagrad_cost(CostContext& c) { state_work(c, optimized<3>(c), {3, 2, 2}); }

// v = αv + (1-α)g; h = βh + (1-β)g²; x -= r·v/(√h + ε); then x·(1 - decay) if asked
void adam_cost(CostContext& c) {
  const bool decays = c.real("norm_coefficient_post", 0) != 0;
  state_work(c, optimized<4>(c), {4, decays ? 7 : 6, 2});
}

// v = αv + βg; x -= r·v, or by Nesterov x -= r·(g + αv)
void momentum_cost(CostContext& c) {
  const bool nesterov = c.text("mode", "standard") == "nesterov";
  state_work(c, optimized<3>(c), nesterov ? ElementWork{3, 4, 0} : ElementWork{2, 3, 0});
}

// Output i is the derivative with respect to input i.
Status gradient(ShapeContext& c) {
  for (std::size_t i = 0; i < c.output_count() && i < c.input_count(); ++i) c.share_type(i, i);
  return {};
}

void gradient_cost(CostContext& c) {
  c.cannot_tell("the part of the network that is differentiated is not followed");
}

constexpr Example kAdagrad[] = {
    {"f32[], i64[], f32[2,3], f32[2,3], f32[2,3]", "", "f32[2,3], f32[2,3]", {.flops = 42}},
    {"f32[], i64[], f32[2], f32[3], f32[2], f32[3], f32[2], f32[3]",
     "norm_coefficient=0.1f",
     "f32[2], f32[3], f32[2], f32[3]",
     {.flops = 5 * 9}},
};
constexpr Example kAdam[] = {
    {"f32[], i64[], f32[2], f32[2], f32[2], f32[2]", "", "f32[2], f32[2], f32[2]", {.flops = 24}},
};
constexpr Example kMomentum[] = {
    {"f32[], i64[], f32[4], f32[4], f32[4]", "mode=\"standard\"", "f32[4], f32[4]", {.flops = 20}},
    {"f32[], i64[], f32[4], f32[4], f32[4]", "mode=\"nesterov\"", "f32[4], f32[4]", {.flops = 28}},
};
constexpr Example kGradient[] = {{"f32[2,3], f32[4]", "", "f32[2,3]"}};

constexpr OpRule row(std::string_view domain, std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples) {
  OpRule rule = any_rank_in(domain, name, 1, shape, cost, examples);
  rule.settings = slots(0, 1);
  return rule;
}

constexpr OpRule kTrainingRules[] = {
    row(kPreview, "Adagrad", optimizer<3>, adagrad_cost, kAdagrad),
    row(kPreview, "Adam", optimizer<4>, adam_cost, kAdam),
    row(kPreview, "Momentum", optimizer<3>, momentum_cost, kMomentum),
    any_rank_in(kPreview, "Gradient", 1, gradient, gradient_cost, kGradient),
    row(kTraining, "Adagrad", optimizer<3>, adagrad_cost, kAdagrad),
    row(kTraining, "Adam", optimizer<4>, adam_cost, kAdam),
    row(kTraining, "Momentum", optimizer<3>, momentum_cost, kMomentum),
    any_rank_in(kTraining, "Gradient", 1, gradient, gradient_cost, kGradient),
};

}  // namespace

std::span<const OpRule> training_rules() { return kTrainingRules; }

}  // namespace strata
