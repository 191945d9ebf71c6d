// Norms that an exporter folded into convolutions, which tools that watch the program still see.
#pragma once

#include <string>

#include "strata/cost/convention.h"

namespace strata {

// A sentence for people who compare with the convention's tool; empty if there is nothing to say.
std::string folded_norms_note(const Convention& convention, const Costs& costs);

}  // namespace strata
