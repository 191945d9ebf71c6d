// The weights of a layer with its norm in them.
#pragma once

#include <vector>

#include "quant/edit.h"
#include "quant/links.h"
#include "strata/quant/layers.h"
#include "strata/write/onnx.h"

namespace strata {

// As the main node reads them: a transposed matrix is turned.
struct LayerWeights {
  std::vector<std::int64_t> dims;
  std::vector<float> weight;
  std::vector<float> bias;  // empty: there is none
};
// With the norm folded in, if there is one. Infinities and NaN are errors that name the
// layer.
Result<LayerWeights> layer_weights(const Model& model, const QuantLayer& layer,
                                   const FillElements& fill);

// Takes the norm's node out: its output becomes that of the node before it. The caller
// gives that node its new weights.
void take_out_norm(GraphEdit& edit, const QuantLayer& layer);

}  // namespace strata
