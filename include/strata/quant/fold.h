// Norms that follow a convolution or a product, as part of its weights.
#pragma once

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/write/onnx.h"

namespace strata {

// The network without the BatchNormalizations that follow a Conv, ConvTranspose or Gemm
// and are all that reads it: that one's weights and bias are others. What the norm gave
// keeps its name. Equal to the original but for the rounding of floats.
//
// Needs inferred types. `fill` gives the elements that the model does not have. The
// result is made of views into `model`, which must outlive it; what has been absent stays
// absent, and `fill` gives it there too.
Result<Model> with_folded_norms(const Model& model, const FillElements& fill = {});

}  // namespace strata
