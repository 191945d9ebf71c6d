// A network in floats in which some layers are as exact as whole numbers are: what one
// quantized layer does to the output, with all else as it was.
#pragma once

#include <vector>

#include "quant/placement.h"
#include "strata/quant/channels.h"
#include "strata/quant/layers.h"
#include "strata/quant/qdq.h"
#include "strata/quant/sensitivity.h"

namespace strata {

// The layers whose number is true in `rounded`: weights by channel, with the norm in them,
// as they come back from whole numbers; the output cut off and rounded by its range, and
// with the first layers the network's inputs that they read. Views into `model`.
Result<Model> with_rounded_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                  const std::vector<bool>& rounded, const TensorRanges& ranges,
                                  const Rounding& rounding, const FillElements& fill);

// The same of parts: weights by layer, and activations, each where `placement` has it become
// whole numbers.
struct RoundedParts {
  std::vector<bool> weights;
  std::vector<TensorId> tensors;
};
// All that a placement rounds; of activations that share their numbers only the first.
RoundedParts all_parts(const std::vector<QuantLayer>& layers, const Placement& placement);
Result<Model> with_rounded_parts(const Model& model, const Links& links,
                                 const std::vector<QuantLayer>& layers, const Placement& placement,
                                 const RoundedParts& parts, const TensorRanges& ranges,
                                 const Rounding& rounding, const FillElements& fill);

}  // namespace strata
