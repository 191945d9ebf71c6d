// A network in float in which some layers are rounded to whole numbers. It shows what one
// quantized layer does to the output while everything else stays unchanged.
#pragma once

#include <vector>

#include "calibrate/channels.h"
#include "edit/placement.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

// Rounds the layers that are true in `rounded`: weights per channel, with the norm folded in, are
// quantized and dequantized; the output is clipped and rounded by its range, and for the first
// layers also the network's inputs that they read. The result consists of views into `model`.
Result<Model> with_rounded_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                  const std::vector<bool>& rounded, const TensorRanges& ranges,
                                  const Rounding& rounding, const FillElements& fill);

// Like above, for parts: weights by layer, and activations, each where `placement` turns it into
// whole numbers.
struct RoundedParts {
  std::vector<bool> weights;
  std::vector<TensorId> tensors;
};
// Everything that a placement rounds; only the first of activations that share their numbers.
RoundedParts all_parts(const std::vector<QuantLayer>& layers, const Placement& placement);
Result<Model> with_rounded_parts(const Model& model, const Links& links,
                                 const std::vector<QuantLayer>& layers, const Placement& placement,
                                 const RoundedParts& parts, const TensorRanges& ranges,
                                 const Rounding& rounding, const FillElements& fill);

}  // namespace strata
