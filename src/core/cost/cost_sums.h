// Sums of the costs of nodes.
#pragma once

#include "base/expr_sum.h"
#include "strata/cost/cost.h"

namespace strata {

namespace detail {

// Not inlined, so that the test for 0 is.
template <class Sum>
[[gnu::noinline]] bool add_product(Sum& sum, const Expr& amount, const Expr& times) {
  const Expr more = times.is(1) ? amount : amount * times;
  if (more.is_unknown()) return false;
  sum += more;
  return true;
}

// Adds `times · amount` unless it is unknown. Most amounts are 0.
template <class Sum>
bool add_known(Sum& sum, const Expr& amount, const Expr& times) {
  return amount.is(0) || add_product(sum, amount, times);
}

}  // namespace detail

// These add to a NodeCost or to CostSums.
template <class Sums>
void add_parameters(Sums& a, const NodeCost& b) {
  a.params += b.params;
  a.param_bytes += b.param_bytes;
}

// a += times · b
template <class Sums>
void add_costs(Sums& a, const NodeCost& b, const Expr& times) {
  add_parameters(a, b);
  if (times.is(0)) return;
  bool whole = detail::add_known(a.macs, b.macs, times);
  whole = detail::add_known(a.adds, b.adds, times) && whole;
  whole = detail::add_known(a.muls, b.muls, times) && whole;
  whole = detail::add_known(a.specials, b.specials, times) && whole;
  if (!whole || b.certainty != Certainty::Exact) a.certainty = Certainty::LowerBound;
  bool bytes_whole = detail::add_known(a.read_bytes, b.read_bytes, times);
  bytes_whole = detail::add_known(a.weight_bytes, b.weight_bytes, times) && bytes_whole;
  bytes_whole = detail::add_known(a.write_bytes, b.write_bytes, times) && bytes_whole;
  if (!bytes_whole || b.bytes_certainty != Certainty::Exact)
    a.bytes_certainty = Certainty::LowerBound;
}

// The costs of many nodes.
struct CostSums {
  ExprSum params, param_bytes, macs, adds, muls, specials, read_bytes, weight_bytes, write_bytes;
  Certainty certainty = Certainty::Exact, bytes_certainty = Certainty::Exact;

  NodeCost total() const {
    return {.params = params.total(),
            .param_bytes = param_bytes.total(),
            .macs = macs.total(),
            .adds = adds.total(),
            .muls = muls.total(),
            .specials = specials.total(),
            .read_bytes = read_bytes.total(),
            .weight_bytes = weight_bytes.total(),
            .write_bytes = write_bytes.total(),
            .certainty = certainty,
            .bytes_certainty = bytes_certainty};
  }
};

}  // namespace strata
