// The elements of a stored tensor as floats, wherever they are.
#pragma once

#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/write/onnx.h"

namespace strata {

// f32, and f64, f16 and bf16 as f32. Elements in another file are looked for beside
// `model.path`; those of a tensor that has none are asked of `fill`. NaN and infinity are
// no error here.
Result<std::vector<float>> read_floats(const Model& model, const TensorData& data,
                                       const FillElements& fill = {});

}  // namespace strata
