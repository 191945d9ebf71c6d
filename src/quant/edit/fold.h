// Folds norms that follow a convolution or a product into its weights.
#pragma once

#include <vector>

#include "edit/edit.h"
#include "edit/links.h"
#include "strata/edit/layers.h"
#include "strata/write/onnx.h"

namespace strata {

// The weights as the main node reads them: a matrix that is stored transposed is transposed back.
struct LayerWeights {
  std::vector<std::int64_t> dims;
  std::vector<float> weight;
  std::vector<float> bias;  // empty: there is none
};
// The norm is folded in, if there is one. An infinity or NaN is an error that names the
// layer.
Result<LayerWeights> layer_weights(const Model& model, const QuantLayer& layer,
                                   const FillElements& fill);

// Removes the norm's node: its output becomes that of the node before it. The caller
// gives that node its new weights.
void take_out_norm(GraphEdit& edit, const QuantLayer& layer);

// The network without BatchNormalizations that are the only readers of a Conv, ConvTranspose or
// Gemm: they are folded into its weights and bias. The norm's output keeps its name. The result
// equals the original up to the rounding of floats.
//
// Needs inferred types. `fill` gives the elements that the model does not have. The result consists
// of views into `model`, which must outlive it; absent elements stay absent, and `fill` gives them
// for the result, too.
Result<Model> with_folded_norms(const Model& model, const FillElements& fill = {});

}  // namespace strata
