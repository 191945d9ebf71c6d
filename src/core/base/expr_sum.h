// A sum of many Exprs. Networks repeat their blocks, so most of the formulas that are added are the
// same few: each is multiplied once, at the end, in place of an addition to a long formula each
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strata/base/expr.h"

namespace strata {

class ExprSum {
 public:
  // Same as for Expr: an unknown makes the sum unknown.
  ExprSum& operator+=(const Expr& more) {
    if (more.is_formula())
      add_formula(more);
    else
      number_ += more;
    return *this;
  }
  Expr total() const;

 private:
  struct Repeated {
    Expr formula;
    std::int64_t times = 0;  // 0: the place is free
  };
  static constexpr std::size_t kPlaces = 64;  // a power of two
  static constexpr std::size_t kLooked = 4;   // how many places a formula may be at

  void add_formula(const Expr& more);

  Expr number_;                     // or unknown
  Expr others_;                     // sum of the formulas that had to make room
  std::vector<Repeated> repeated_;  // by hash; empty until there is a formula
};

}  // namespace strata
