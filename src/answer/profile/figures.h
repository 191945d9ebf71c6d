// Sums of the numbers of rows.
#pragma once

#include <vector>

#include "base/expr_sum.h"
#include "strata/profile/row.h"

namespace strata {

// Tells equal figures, for a pool of them. Measured ones are never equal.
std::size_t hash_of(const Figures& figures);
bool is_same(const Figures& a, const Figures& b);

void add_samples(std::vector<double>& sum, const std::vector<double>& more);

// Sums; what is unknown is left out and makes the sum a lower bound.
void add_to(Figures& sum, const Figures& more);

// Sums very many figures.
class FiguresSum {
 public:
  void add(const Figures& more);
  Figures total() const;

 private:
  struct Amounts {
    ExprSum whole;
    Amount others;  // sum of those that are not whole
    bool add(const Amount& more);
    Amount total() const { return Amount(whole.total()) + others; }
  };
  ExprSum params_, param_bytes_, activation_bytes_;
  Amounts macs_, flops_, read_bytes_, write_bytes_, picojoules_, load_macs_, load_flops_;
  Figures rest_;  // all that is not a sum of these
};

}  // namespace strata
