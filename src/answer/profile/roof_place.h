// A layer's place below the roof of the machine.
#pragma once

#include <string_view>

#include "strata/machine/roofline.h"
#include "strata/profile/profile.h"
#include "strata/profile/row.h"

namespace strata {

// Row::bound of a kernel that only moves elements from one layout to another.
inline constexpr std::string_view kLayoutKernel = "layout";

// RoofPlace::bound of a layer whose data comes from caches, with its percentage of what memory
// gives.
inline constexpr std::string_view kCaches = "caches";

// Empty where the work or the bytes are unknown; without a percentage where no time is known.
RoofPlace place_below(const Figures& figures, const Roofline& roofline);

}  // namespace strata
