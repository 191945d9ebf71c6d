// Reads the elements of a stored tensor as floats, wherever they are.
#pragma once

#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/write/onnx.h"

namespace strata {

// Reads f32, and converts f64, f16 and bf16 to f32. Elements in another file are looked for beside
// `model.path`; for a tensor without elements, `fill` is asked. NaN and infinity are not errors
// here.
Result<std::vector<float>> read_floats(const Model& model, const TensorData& data,
                                       const FillElements& fill = {});

}  // namespace strata
