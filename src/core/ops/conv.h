// Convolution, for families that have one of their own (quantized, fused).
#pragma once

#include "ops/cost_context.h"
#include "ops/shape_context.h"
#include "ops/traits.h"

namespace strata {

// Output of a convolution of input x (N, C, …) with weights w (M, C/group, …), with Conv's
// attributes.
Result<Dims> conv_dims(ShapeContext& c, std::size_t x, std::size_t w);
// outputs × channels per group × window.
void conv_macs(CostContext& c, std::size_t w);
// One addition per output if input `slot` is present.
void bias_adds(CostContext& c, std::size_t slot);

inline constexpr AttributeName kConvAttributes[] = {
    {Attr::Groups, "group", 1}, {Attr::Kernel, "kernel_shape"}, {Attr::Strides, "strides"},
    {Attr::Pads, "pads"},       {Attr::Dilations, "dilations"},
};

}  // namespace strata
