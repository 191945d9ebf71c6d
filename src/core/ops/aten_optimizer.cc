// PyTorch's optimizers: operators on lists of tensors, and whole steps in one.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

// The elements of the first list, `self`, whose length the attribute of that name has.
Expr list_elements(const NodeView& c) {
  const std::int64_t tensors = c.integer("self", -1);
  if (tensors < 0) return Expr::unknown();
  Expr sum = 0;
  for (std::int64_t i = 0; i < tensors; ++i) sum += c.in_elements(static_cast<std::size_t>(i));
  return sum;
}

void per_element(CostContext& c, int adds, int muls, int specials) {
  const Expr elements = list_elements(c);
  if (elements.is_unknown()) return c.cannot_tell("the length of its list is not known");
  if (adds > 0) c.adds({{"elements", elements}, {"sums, comparisons", adds}});
  if (muls > 0) c.muls({{"elements", elements}, {"products", muls}});
  if (specials > 0) c.specials({{"elements", elements}, {"functions", specials}});
}

template <int adds, int muls, int specials>
void each_cost(CostContext& c) {
  per_element(c, adds, muls, specials);
}

// self + alpha·other
void each_sum_cost(CostContext& c) { per_element(c, 1, number_of(c, "alpha", 1) != 1 ? 1 : 0, 0); }
// self + value·a·b, self + value·a/b; a list of values is one for each tensor
int scales(const NodeView& c) {
  return !has_number(c, "value") || number_of(c, "value", 1) != 1 ? 1 : 0;
}
void each_addcmul_cost(CostContext& c) { per_element(c, 1, 1 + scales(c), 0); }
void each_addcdiv_cost(CostContext& c) { per_element(c, 1, scales(c), 1); }

void each_norm_cost(CostContext& c) {
  per_element(c, 1, 1, 0);
  c.specials({{"roots", c.integer("self", 0)}});
}

bool has_decay(const NodeView& c) { return number_of(c, "weight_decay", 0) != 0; }

// m + (1 - β₁)·(g - m); β₂·v + (1 - β₂)·g²; p - step·m / (√v/√c + ε). AdamW takes the decay off the
// parameters by a product, Adam adds it to the gradient.
void adam(CostContext& c, int decay_adds) {
  const int decays = has_decay(c) ? 1 : 0, greatest = c.integer("amsgrad", 0) != 0 ? 1 : 0;
  per_element(c, 5 + decays * decay_adds + greatest, 5 + decays, 3);
}
void adam_cost(CostContext& c) { adam(c, 1); }
void adamw_cost(CostContext& c) { adam(c, 0); }

// p - lr·(g + decay·p), with a momentum of buffer·μ + (1 - dampening)·g before.
void sgd_cost(CostContext& c) {
  int adds = 1, muls = 1;
  if (has_decay(c)) ++adds, ++muls;
  if (number_of(c, "momentum", 0) != 0 && c.integer("is_first_step", 0) == 0) ++adds, muls += 2;
  if (c.integer("nesterov", 0) != 0) ++adds, ++muls;
  per_element(c, adds, muls, 0);
}

// s + g²; p - lr·g / (√s + ε)
void adagrad_cost(CostContext& c) {
  const int decays = has_decay(c) ? 1 : 0;
  per_element(c, 3 + decays, 2 + decays, 2);
}

constexpr std::string_view kTwoLists = "f32[2,3], f32[4], f32[2,3], f32[4]";
constexpr Example kSum[] = {
    {kTwoLists, "self=2 other=2 alpha=1", "f32[2,3], f32[4]", {.macs = 0, .flops = 10}},
    {kTwoLists, "self=2 other=2 alpha=0.5f", "f32[2,3], f32[4]", {.macs = 0, .flops = 20}},
    {"f32[2,3], f32[4]", "self=2 scalar=1", "f32[2,3], f32[4]", {.macs = 0, .flops = 10}},
};
constexpr Example kOne[] = {
    {"f32[2,3], f32[4]", "self=2", "f32[2,3], f32[4]", {.macs = 0, .flops = 10}}};
constexpr Example kNothing[] = {
    {"f32[2,3], f32[4]", "self=2", "f32[2,3], f32[4]", {.macs = 0, .flops = 0}}};
constexpr std::string_view kThreeLists = "f32[4], f32[4], f32[4]";
constexpr Example kScaled[] = {
    {kThreeLists, "self=1 tensor1=1 tensor2=1 value=1", "f32[4]", {.macs = 0, .flops = 8}},
    {kThreeLists, "self=1 tensor1=1 tensor2=1 value=0.5f", "f32[4]", {.macs = 0, .flops = 12}},
};
constexpr Example kLerp[] = {
    {"f32[4], f32[4]", "self=1 tensors1=1 weight=0.1f", "f32[4]", {.macs = 0, .flops = 12}}};
// 10 squares and sums, and a root for each tensor.
constexpr Example kNorm[] = {
    {"f32[2,3], f32[4]", "self=2 ord=2", "f32[], f32[]", {.macs = 0, .flops = 22}}};
constexpr std::string_view kAdamInputs = "f32[4], f32[4], f32[4], f32[4], f32[]";
constexpr Example kAdam[] = {
    {kAdamInputs,
     "self=1 grads=1 exp_avgs=1 exp_avg_sqs=1 max_exp_avg_sqs=0 state_steps=1 weight_decay=0.0f "
     "amsgrad=0",
     "",
     {.macs = 0, .flops = 4 * 13}},
    {kAdamInputs,
     "self=1 grads=1 exp_avgs=1 exp_avg_sqs=1 max_exp_avg_sqs=0 state_steps=1 weight_decay=0.01f "
     "amsgrad=1",
     "",
     {.macs = 0, .flops = 4 * 16}},
};
constexpr Example kAdamW[] = {
    {kAdamInputs,
     "self=1 grads=1 exp_avgs=1 exp_avg_sqs=1 max_exp_avg_sqs=0 state_steps=1 weight_decay=0.01f "
     "amsgrad=0",
     "",
     {.macs = 0, .flops = 4 * 14}}};
constexpr Example kSgd[] = {
    {"f32[4], f32[4]",
     "self=1 grads=1 momentum_buffer_list=0 weight_decay=0.0f momentum=0.0f nesterov=0",
     "",
     {.macs = 0, .flops = 8}},
    {"f32[4], f32[4], f32[4]",
     "self=1 grads=1 momentum_buffer_list=1 weight_decay=0.1f momentum=0.9f nesterov=1 "
     "is_first_step=0",
     "",
     {.macs = 0, .flops = 36}},
};
constexpr Example kAdagrad[] = {{"f32[4], f32[4], f32[4], f32[]",
                                 "self=1 grads=1 state_sums=1 state_steps=1 weight_decay=0.0f",
                                 "",
                                 {.macs = 0, .flops = 28}}};

constexpr Traits kStep = {
    .kind = LayerKind::Other, .product = Product::None, .int8 = Int8Use::None};

constexpr OpRule step(std::string_view name, CostRule cost, std::span<const Example> examples) {
  return aten(name, cost, examples, kStep);
}

constexpr OpRule kAtenOptimizerRules[] = {
    step("_foreach_add", each_sum_cost, kSum),
    step("_foreach_sub", each_sum_cost, kSum),
    step("_foreach_mul", each_cost<0, 1, 0>, kOne),
    step("_foreach_div", each_cost<0, 0, 1>, kOne),
    step("_foreach_maximum", each_cost<1, 0, 0>, kOne),
    step("_foreach_neg", each_cost<1, 0, 0>, kOne),
    step("_foreach_abs", each_cost<1, 0, 0>, kOne),
    step("_foreach_sign", each_cost<1, 0, 0>, kOne),
    step("_foreach_sqrt", each_cost<0, 0, 1>, kOne),
    step("_foreach_reciprocal", each_cost<0, 0, 1>, kOne),
    step("_foreach_pow", each_cost<0, 0, 1>, kOne),
    step("_foreach_copy", no_arithmetic, kNothing),
    step("_foreach_zero", no_arithmetic, kNothing),
    step("_foreach_addcmul", each_addcmul_cost, kScaled),
    step("_foreach_addcdiv", each_addcdiv_cost, kScaled),
    step("_foreach_lerp", each_cost<2, 1, 0>, kLerp),
    step("_foreach_norm", each_norm_cost, kNorm),
    step("_fused_adam", adam_cost, kAdam),
    step("_fused_adamw", adamw_cost, kAdamW),
    step("_fused_sgd", sgd_cost, kSgd),
    step("_fused_adagrad", adagrad_cost, kAdagrad),
};

}  // namespace

std::span<const OpRule> aten_optimizer_rules() { return kAtenOptimizerRules; }

}  // namespace strata
