// Convolution, for the families that have one of their own (quantized, fused).
#pragma once

#include "ops/cost_context.h"
#include "ops/shape_context.h"

namespace strata {

// Output of a convolution of input x (N, C, …) with weights w (M, C/group, …);
// attributes as Conv has them.
Result<Dims> conv_dims(ShapeContext& c, std::size_t x, std::size_t w);
// outputs × channels in a group × window.
void conv_macs(CostContext& c, std::size_t w);
// One addition per output if input `slot` is there.
void bias_adds(CostContext& c, std::size_t slot);

}  // namespace strata
