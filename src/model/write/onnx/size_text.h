// The size of an axis as text (dim_param), for sizes that are not numbers.
#pragma once

#include <string>

#include "strata/base/expr.h"

namespace strata::onnx {

// `batch`, `2*s0`, `(h + 1)//2 + 3`: the form that read/onnx/size_text.h reads and PyTorch writes.
// Only for formulas.
std::string size_text(const Expr& formula);

}  // namespace strata::onnx
