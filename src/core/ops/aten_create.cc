// Operators of PyTorch that make tensors from sizes: constants, ranges, random numbers.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

// The input gives a size, a type or a place; none of its elements is read.
void filled_cost(CostContext& c) { c.reads(0); }
void range_cost(CostContext& c) {
  adds_per_output<1>(c);
  c.reads(0);
}
void random_cost(CostContext& c) {
  specials_per_output<1>(c);
  c.reads(0);
}

constexpr Example kFilled[] = {{"", "size=2,3", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kFilledLike[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kScalar[] = {{"", "s=1", "f32[]", {.macs = 0, .flops = 0}}};
constexpr Example kRange[] = {{"", "start=0 end=6 step=1", "i64[6]", {.macs = 0, .flops = 6}}};
constexpr Example kIndices[] = {{"", "row=3 col=3", "i64[2,6]", {.macs = 0, .flops = 0}}};
constexpr Example kRandom[] = {{"", "size=2,3", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kRandomLike[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kPermutation[] = {{"", "n=6", "i64[6]", {.macs = 0, .flops = 6}}};
constexpr Example kBernoulli[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
// 2 rows of 3 classes and a random number each, which meets every class.
constexpr Example kMultinomial[] = {
    {"f32[2,3]", "num_samples=1", "i64[2,1]", {.macs = 0, .flops = 6 + 6 + 2 + 6}},
    {"f32[3]", "num_samples=2", "i64[2]", {.macs = 0, .flops = 3 + 3 + 2 + 6}},
};
constexpr Example kWindow[] = {{"", "window_length=4", "f32[4]", {.macs = 0}}};

constexpr OpRule filled(std::string_view name, std::span<const Example> examples) {
  return aten(name, filled_cost, examples);
}
constexpr OpRule random(std::string_view name, std::span<const Example> examples) {
  return aten(name, random_cost, examples, {.random = true});
}

constexpr OpRule kAtenCreateRules[] = {
    filled("zeros", kFilled),
    filled("ones", kFilled),
    filled("full", kFilled),
    filled("empty", kFilled),
    filled("empty_strided", kFilled),
    filled("empty_permuted", kFilled),
    filled("eye", kFilled),
    filled("_efficientzerotensor", kFilled),
    filled("zeros_like", kFilledLike),
    filled("ones_like", kFilledLike),
    filled("full_like", kFilledLike),
    filled("empty_like", kFilledLike),
    filled("new_zeros", kFilledLike),
    filled("new_ones", kFilledLike),
    filled("new_full", kFilledLike),
    filled("new_empty", kFilledLike),
    filled("new_empty_strided", kFilledLike),
    filled("fill", kFilledLike),
    filled("zero", kFilledLike),
    filled("scalar_tensor", kScalar),
    filled("tril_indices", kIndices),
    filled("triu_indices", kIndices),
    aten("arange", range_cost, kRange),
    aten("linspace", range_cost, kRange),
    random("rand", kRandom),
    random("randn", kRandom),
    random("randint", kRandom),
    random("randperm", kPermutation),
    random("rand_like", kRandomLike),
    random("randn_like", kRandomLike),
    random("randint_like", kRandomLike),
    random("normal", kRandomLike),
    random("normal_functional", kRandomLike),
    random("uniform", kRandomLike),
    random("exponential", kRandomLike),
    aten("bernoulli", work_per_output<1, 0, 1>, kBernoulli, {.random = true}),
    aten_like("multinomial", "Multinomial", kMultinomial),
    aten_like("hann_window", "HannWindow", kWindow),
    aten_like("hamming_window", "HammingWindow", kWindow),
    aten_like("blackman_window", "BlackmanWindow", kWindow),
};

}  // namespace

std::span<const OpRule> aten_create_rules() { return kAtenCreateRules; }

}  // namespace strata
