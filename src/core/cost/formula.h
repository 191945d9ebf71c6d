// The formulas of counting conventions and energy models, as text:
//
//   N*O*(2*K - 1 + b)
//   floor(Co * each((in + pad - dilation*(kernel - 1) - 1)/stride + 1) * (K - 1 + b))
//
// Numbers, names, + - * / (exact) and // (rounded down), parentheses, and
//   floor(x) ceil(x) min(x, y) max(x, y)
//   rounded(x, d)      x to d significant digits; unknown if x is not a whole number
//   equal(x, y)        1 if they are equal, else 0
//   if(c, x, y)        x unless c is 0
//   each(x)            the product of x over the spatial axes; inside it, names that have
//                      a value along each axis may be used (in, kernel, …)
// All arithmetic is exact and works with symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/amount.h"

namespace strata {

// The names that formulas of one purpose may use; a value has the same index as its name.
struct FormulaNames {
  std::span<const std::string_view> plain;
  std::span<const std::string_view> along_axis;  // only inside each(…)
};

struct FormulaValues {
  std::span<const Amount> plain;
  std::span<const std::span<const Amount>> along_axis;  // one span per spatial axis
};

class Formula {
 public:
  // An error is a sentence that quotes the text and points into it.
  static Result<Formula> parse(std::string_view text, const FormulaNames& names);
  static Formula zero();

  Amount evaluate(const FormulaValues& values) const;
  bool is_zero() const;  // the formula is `0`

  // Typeset with names (`N·O·(2·K − 1 + b)`), and with each name replaced by its value.
  std::string text() const;
  std::string filled_in(const FormulaValues& values) const;
  // The names in it, in order of appearance, without duplicates.
  std::vector<std::string_view> names() const;

 private:
  enum class Op : std::uint8_t {
    Number,
    Name,
    AxisName,
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Minus,
    Floor,
    Ceil,
    Min,
    Max,
    Rounded,
    Equal,
    If,
    Each,  // the next `arg` steps compute the factor of one axis
  };
  struct Step {
    Op op;
    std::uint16_t arg;  // for a number or name, its index; for Each, the number of steps
  };
  struct Typeset;
  class Parser;

  Amount run(std::size_t first, std::size_t last, const FormulaValues& values,
             std::span<const Amount> axis) const;
  std::string typeset(const FormulaValues* values) const;
  Typeset typeset(std::size_t first, std::size_t last, const FormulaValues* values,
                  const std::span<const Amount>* axis) const;

  std::vector<Step> steps_;  // operands before operators
  std::vector<Amount> numbers_;
  std::vector<std::string_view> names_, axis_names_;  // all allowed names, by index
};

// Limits on the nesting of a formula and on its number of steps.
inline constexpr std::size_t kMaxFormulaDepth = 24;
inline constexpr std::size_t kMaxFormulaSteps = 500;

}  // namespace strata
