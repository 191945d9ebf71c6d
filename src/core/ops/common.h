// Rules that several families share.
#pragma once

#include <optional>
#include <vector>

#include "ops/rule.h"

namespace strata {

// Shapes.
Status same_as_input(ShapeContext& c);  // output 0 equals input 0; passes known elements on
Status like_input(ShapeContext& c);     // output 0 has input 0's type and shape, but other elements
Status broadcast_inputs(ShapeContext& c);  // output 0: all inputs broadcast, dtype of input 0
// Applies `f` to each element; known elements are folded.
Status fold_unary(ShapeContext& c, Scalar (*f)(const Scalar&));
template <Scalar (*f)(const Scalar&)>
Status unary(ShapeContext& c) {
  return fold_unary(c, f);
}
Status fold_binary(ShapeContext& c, DType out, Scalar (*f)(const Scalar&, const Scalar&));

// Tensors with more real elements than this are not folded: scales and bounds are few, and anything
// larger is weights.
inline constexpr std::int64_t kMaxFoldedReals = 64;
// True if the elements of an input are known and a shape may depend on them. Cheap: decodes
// nothing.
bool worth_folding(const ShapeContext& c, std::size_t slot);
// Broadcasts all inputs together. Each must be ranked.
Result<Dims> broadcast_dims(ShapeContext& c);
// For each element of a broadcast value, its position in the source; nullopt if the source does not
// broadcast to that shape or the result is too large to keep.
std::optional<std::vector<std::size_t>> broadcast_positions(
    const InlineVector<std::int64_t, 4>& from, const InlineVector<std::int64_t, 4>& to);
// Applies f to each pair of elements, broadcast; nullopt if the result is too large to keep.
std::optional<Value> combine(const Value& a, const Value& b, DType out,
                             Scalar (*f)(const Scalar&, const Scalar&));

// The axes of a reduction or squeeze: attribute `axes`, or input `slot` in versions that have it
// there (slot < 0: never). nullopt: given, but not known. Every axis is checked against the rank
// and made non-negative; the result is sorted and without duplicates.
struct Axes {
  bool given = false;
  bool known = true;
  InlineVector<std::size_t, 4> list;
};
Result<Axes> axes_of(ShapeContext& c, int slot, std::size_t rank);

// The type that an attribute gives as ONNX's number, or `otherwise` if it is absent.
Result<DType> dtype_attribute(const ShapeContext& c, std::string_view attribute, DType otherwise);

// Dims from the elements of a shape input: each is a number ≥ 0 or a formula.
Dims to_dims(std::span<const Expr> sizes);
// Dims from the elements of an input, with fresh symbols for unknown sizes; nullopt if even the
// number of axes is unknown.
Result<std::optional<Dims>> dims_from_input(ShapeContext& c, std::size_t slot,
                                            std::string_view hint);
// Shapes with more axes than this are left unranked.
inline constexpr std::int64_t kMaxRank = 1000;
// A limit on unknown sizes of one shape, since each one costs a symbol.
inline constexpr std::int64_t kMaxFreshAxes = 64;
// An integer Value with one axis.
Value vector_value(DType type, std::span<const Expr> items);
Value scalar_value(DType type, Scalar item);

// A row whose rule works with inputs of any rank, known or not.
constexpr OpRule any_rank(std::string_view name, int since, ShapeRule shape, CostRule cost,
                          std::span<const Example> examples, const Traits& traits = {}) {
  OpRule rule;
  rule.name = name;
  rule.since = since;
  rule.shape = shape;
  rule.cost = cost;
  rule.examples = examples;
  rule.takes_unranked = true;
  rule.traits = traits;
  return rule;
}
constexpr OpRule any_rank_in(std::string_view domain, std::string_view name, int since,
                             ShapeRule shape, CostRule cost, std::span<const Example> examples) {
  OpRule rule = any_rank(name, since, shape, cost, examples);
  rule.domain = domain;
  return rule;
}
// Adds traits to a row that a family builds in its own way.
constexpr OpRule with_traits(OpRule rule, const Traits& traits) {
  rule.traits = traits;
  return rule;
}

// Costs.
void no_arithmetic(CostContext& c);  // moves data: reads inputs, writes outputs
void view_of_input(CostContext& c);  // moves nothing
template <int k>
void adds_per_output(CostContext& c) {  // k additions or comparisons per output element
  c.adds({{"outputs", c.out_elements(0)}, {"adds each", k}});
}
template <int k>
void muls_per_output(CostContext& c) {
  c.muls({{"outputs", c.out_elements(0)}, {"muls each", k}});
}
template <int k>
void specials_per_output(CostContext& c) {
  c.specials({{"outputs", c.out_elements(0)}, {"operations each", k}});
}
// All three at once, for functions that consist of several primitive operations.
template <int adds, int muls, int specials>
void work_per_output(CostContext& c) {
  if constexpr (adds > 0) adds_per_output<adds>(c);
  if constexpr (muls > 0) muls_per_output<muls>(c);
  if constexpr (specials > 0) specials_per_output<specials>(c);
}

}  // namespace strata
