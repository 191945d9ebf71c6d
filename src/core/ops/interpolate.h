// Sampling between elements: what an interpolated output costs.
#pragma once

#include "ops/cost_context.h"

namespace strata {

enum class Interpolation : std::uint8_t { Nearest, Linear, Cubic };

// From attribute `mode`: nearest, linear (bilinear), cubic (bicubic).
Interpolation interpolation_of(const NodeView& c, std::string_view otherwise);

// Each output is a weighted sum of 2 (linear) or 4 (cubic) neighbours along each of `axes` axes,
// all at once: k^axes products and one addition fewer. The neighbours' weights are shared by whole
// rows and channels and are not counted. Nearest is a copy.
void interpolate(CostContext& c, Interpolation kind, std::size_t axes);

}  // namespace strata
