// Sizes as numbers, where they are to be computed with. A size that only the data
// tells is taken at its upper bound; what has none is remembered, for one sentence.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/expr.h"
#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

// Longer times are not a measurement.
inline constexpr double kLongestSeconds = 1e9;

class OpenSizes {
 public:
  // 0 if it has no bound.
  double number(const Expr& size);
  // True if number() has one for it.
  static bool has_number(const Expr& size) { return upper_bound(size).has_value(); }
  // True if it depends on a size of the network's inputs, which the caller can give.
  static bool depends_on_inputs(const Graph& graph, const Expr& size);
  // An error that says which symbols need a value if `what` has no number.
  Status status(std::string_view what) const;
  // A sentence if upper bounds stand for sizes.
  void add_note(std::vector<std::string>& notes) const;

 private:
  std::set<std::string> open_;  // symbols without a bound
  bool has_bounds_ = false;     // a bound was taken for a size
  bool unknown_ = false;        // a size that is not a formula either
};

}  // namespace strata
