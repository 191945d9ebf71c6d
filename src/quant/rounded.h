// A network in floats in which some layers are as exact as whole numbers are: what one
// quantized layer does to the output, with all else as it was.
#pragma once

#include <vector>

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

}  // namespace strata
