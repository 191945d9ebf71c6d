#include "cost/largest_formula.h"

#include <algorithm>

namespace strata {

namespace {

// True only if `a` is at least `b` for all sizes from 1.
bool covers(const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return a.value() >= b.value();
  const Expr less = b - a;
  if (less.is_unknown()) return false;
  if (provably_at_least(-less, 0)) return true;
  if (value_at(less, 1) > 0 || value_at(less, LargestFormula::kLarge) > 0) return false;
  // With 1 + n for n, every size from 0 is allowed, and terms no longer have to be compared:
  // 4·n^2 − 3·n becomes 4·n^2 + 5·n + 1.
  const auto bound = upper_bound(
      less.substitute([](std::string_view name) { return Expr::symbol(name) + Expr(1); }));
  return bound && *bound <= 0;
}

}  // namespace

double value_at(const Expr& formula, double size) {
  return formula.evaluate([size](std::string_view) { return std::optional(size); }).value_or(0);
}

void LargestFormula::add(const Expr& formula, NodeId node) {
  if (formula.is_unknown()) {
    complete_ = false;
    return;
  }
  for (const Candidate& one : list_)
    if (covers(one.formula, formula)) return;
  std::erase_if(list_, [&](const Candidate& one) { return covers(formula, one.formula); });
  list_.push_back({formula, node});
  if (list_.size() <= kMost) return;
  complete_ = false;
  list_.erase(std::min_element(list_.begin(), list_.end(), [](const auto& a, const auto& b) {
    return value_at(a.formula, kLarge) < value_at(b.formula, kLarge);
  }));
}

Expr LargestFormula::value() const {
  Expr most;
  for (const Candidate& one : list_) most = max(most, one.formula);
  return most;
}

NodeId LargestFormula::node() const {
  NodeId node = kNone;
  double most = -1;
  for (const Candidate& one : list_) {
    const double value = list_.size() == 1 ? 0 : value_at(one.formula, kLarge);
    if (value > most) most = value, node = one.node;
  }
  return node;
}

}  // namespace strata
