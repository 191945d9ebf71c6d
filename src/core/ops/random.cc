// Operators that draw random numbers. One number counts as one special operation.
#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {
namespace {

Status random(ShapeContext& c) {
  const auto type = dtype_attribute(c, "dtype", DType::F32);
  if (!type) return failure(type);
  if (!c.has_attribute("shape")) return c.error("it does not say its shape (attribute `shape`)");
  Dims dims;
  for (const std::int64_t size : c.integers("shape")) {
    if (size < 0) return c.error("a size in its attribute `shape` is negative");
    dims.push_back(size);
  }
  c.set(0, *type, std::move(dims));
  return {};
}

Status random_like(ShapeContext& c) {
  const auto type = dtype_attribute(c, "dtype", c.dtype(0));
  if (!type) return failure(type);
  TypeInfo like = c.in(0);
  like.dtype = *type;
  c.set(0, std::move(like));
  return {};
}

// Only the shape of the input is used.
void random_like_cost(CostContext& c) {
  specials_per_output<1>(c);
  c.reads(0);
}

// Input: logarithms of probabilities, one row of classes per batch item.
Status multinomial(ShapeContext& c) {
  const auto type = dtype_attribute(c, "dtype", DType::I32);
  if (!type) return failure(type);
  const std::int64_t samples = c.integer("sample_size", 1);
  if (samples < 0) return c.error("its sample_size is negative");
  if (c.ranked(0) && c.rank(0) != 2) return c.error("its input must have two axes");
  c.set(0, *type, {c.ranked(0) ? c.dims(0)[0] : c.fresh("batch"), samples});
  return {};
}

// An exponential and a running sum over the classes; then, per sample, a number that is compared
// with every class.
void multinomial_cost(CostContext& c) {
  c.specials({{"inputs", c.in_elements(0)}, {"exponentials each", 1}});
  c.adds({{"inputs", c.in_elements(0)}, {"adds each", 1}});
  c.specials({{"outputs", c.out_elements(0)}, {"random numbers each", 1}});
  c.adds({{"outputs", c.out_elements(0)}, {"comparisons with classes", size_from_end(c.in(0), 0)}});
}

constexpr Example kRandom[] = {
    {"", "shape=2,3", "f32[2,3]", {.macs = 0, .flops = 6}},
    {"", "shape=2,3 dtype=11", "f64[2,3]"},
};
constexpr Example kRandomLike[] = {
    {"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}},
    {"i64[N]", "dtype=1", "f32[N]"},
};
// A random number and a comparison per element.
constexpr Example kBernoulli[] = {
    {"f32[2,3]", "", "f32[2,3]", {.flops = 12}},
    {"f32[2,3]", "dtype=9", "bool[2,3]"},
};
constexpr Example kMultinomial[] = {
    {"f32[2,5]", "sample_size=3", "i32[2,3]", {.flops = 10 + 10 + 6 + 30}},
};

constexpr Traits kRandomTraits = {.random = true};

constexpr OpRule kRandomRules[] = {
    any_rank("RandomNormal", 1, random, specials_per_output<1>, kRandom, kRandomTraits),
    any_rank("RandomUniform", 1, random, specials_per_output<1>, kRandom, kRandomTraits),
    any_rank("RandomNormalLike", 1, random_like, random_like_cost, kRandomLike, kRandomTraits),
    any_rank("RandomUniformLike", 1, random_like, random_like_cost, kRandomLike, kRandomTraits),
    any_rank("Bernoulli", 15, random_like, work_per_output<1, 0, 1>, kBernoulli, kRandomTraits),
    any_rank("Multinomial", 7, multinomial, multinomial_cost, kMultinomial, kRandomTraits),
};

}  // namespace

std::span<const OpRule> random_rules() { return kRandomRules; }

}  // namespace strata
