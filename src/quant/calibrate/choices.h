// Ranges that need a search. All functions take a sketch with finite elements.
#pragma once

#include "strata/calibrate/range.h"

namespace strata {

Range entropy_range(const Sketch& sketch, const Scheme& scheme);
Range mse_range(const Sketch& sketch, const Scheme& scheme);

}  // namespace strata
