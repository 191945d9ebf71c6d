// Models whose files state every type, with formulas of symbols for open sizes.
#pragma once

#include "strata/infer/infer.h"

namespace strata {

// Gives symbols the values that follow from `options`, in every type of every graph. A size that
// the file fixes cannot be changed.
Result<Inference> infer_stated(Model& model, const InferOptions& options);

}  // namespace strata
