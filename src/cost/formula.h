// Formulas that counting conventions and energy models are written in, as text:
//
//   N*O*(2*K - 1 + b)
//   floor(Co * each((in + pad - dilation*(kernel - 1) - 1)/stride + 1) * (K - 1 + b))
//
// Numbers, names, + - * / (exact) and // (rounded down), parentheses, and
//   floor(x) ceil(x) min(x, y) max(x, y)
//   equal(x, y)        1 if they are equal, else 0
//   if(c, x, y)        x unless c is 0
//   each(x)            the product of x over the spatial axes; inside it stand the
//                      names that have a value along each axis (in, kernel, …)
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

// The names that formulas of one purpose may use; a value's place is its name's.
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

  // Typeset with names (`N·O·(2·K − 1 + b)`), and with each name's value in its place.
  std::string text() const;
  std::string filled_in(const FormulaValues& values) const;
  // Names in it, each once, in order of appearance.
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
    Equal,
    If,
    Each,  // the next `arg` steps make the factor of one axis
  };
  struct Step {
    Op op;
    std::uint16_t arg;  // number or name: its index; Each: steps
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
  std::vector<std::string_view> names_, axis_names_;  // all that were allowed, by place
};

// How deep a formula may nest, and how many steps it may have.
inline constexpr std::size_t kMaxFormulaDepth = 24;
inline constexpr std::size_t kMaxFormulaSteps = 500;

}  // namespace strata
