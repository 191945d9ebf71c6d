// Sizes as PyTorch writes them: sympy's own notation for its expressions,
// `Add(Symbol('s15', positive=True, integer=True), Integer(1))`, or Python's, `s15 + 1`, which
// older files and the keys of range constraints have.
#pragma once

#include <string_view>

#include "strata/base/expr.h"

namespace strata::pt2 {

// The whole number that the text stands for; unknown if it is none that Expr can express, if it is
// nested too deeply or if it is no such text.
Expr size_formula(std::string_view text);

}  // namespace strata::pt2
