// The largest of many formulas, at every size: the maximum of those that no other one covers.
#pragma once

#include <cstddef>
#include <vector>

#include "strata/base/expr.h"
#include "strata/graph/graph.h"

namespace strata {

// The value of a formula with every symbol set to `size`; 0 if it is unknown.
double value_at(const Expr& formula, double size);

class LargestFormula {
 public:
  // A size at which the terms of the highest degree decide.
  static constexpr double kLarge = 1 << 20;

  void add(const Expr& formula, NodeId node);

  // Never larger than the maximum of all formulas, and equal to it if is_complete().
  Expr value() const;
  // False if a formula is unknown, or if too many of them may each be the largest.
  bool is_complete() const { return complete_; }
  // True if the sizes decide which formula is the largest.
  bool depends_on_sizes() const { return list_.size() > 1; }
  // The node of the largest formula, at large sizes if it depends on them. kNone: there is none.
  NodeId node() const;

 private:
  // More would make the maximum unreadable, and comparing them slow.
  static constexpr std::size_t kMost = 16;

  struct Candidate {
    Expr formula;
    NodeId node;
  };
  std::vector<Candidate> list_;  // none of them is known to cover another one
  bool complete_ = true;
};

}  // namespace strata
