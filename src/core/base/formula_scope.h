// Limits for the formulas of one job. Formulas come from files, and a small file can ask for large
// ones: a loop of products, sums over every tensor. While a FormulaScope lives, the formulas that
// its thread makes count against limits in proportion to the file: of work, and of what formulas
// are made of, which bounds memory. A formula over a limit is unknown, whatever the machine and its
// speed. Without a scope nothing is counted.
//
// A scope also lets equal formulas share their memory, since a network computes the same few sizes
// at thousands of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "strata/base/expr.h"

namespace strata {

// The sentence of a job if is_over_limit().
inline constexpr std::string_view kFormulasOverLimit =
    "formulas of its sizes take more work or memory than the limit for a file of its size, so some "
    "are unknown";

namespace detail {
struct FormulaState;
}

class FormulaScope {
 public:
  // A factor without effect: only to share formulas, where the count was limited before.
  static constexpr double kUnlimited = 1e15;

  // `factor` multiplies both limits. Inside of another scope of this thread, the outer one counts.
  explicit FormulaScope(std::uint64_t file_bytes, double factor = 1);
  ~FormulaScope();
  FormulaScope(const FormulaScope&) = delete;
  FormulaScope& operator=(const FormulaScope&) = delete;

  // True if a formula has become unknown since this object was made because of a limit.
  bool is_over_limit() const;

 private:
  std::unique_ptr<detail::FormulaState> own_;  // null: inside of another scope
  std::uint64_t refused_before_ = 0;
};

}  // namespace strata
