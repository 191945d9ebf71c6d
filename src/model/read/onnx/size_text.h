// The size of an axis that a file states as text (dim_param).
#pragma once

#include <string_view>

#include "strata/base/expr.h"

namespace strata::onnx {

// `batch` is a symbol. Exporters also write formulas: `past_len + seq_len`, `2*s0`, `s0//2 + 1` and
// `Max(1, s0)` become formulas over symbols. Any other text becomes one symbol with that name.
Expr size_from_text(std::string_view text);

}  // namespace strata::onnx
