// Sums of the numbers of rows.
#pragma once

#include <vector>

#include "strata/profile/row.h"

namespace strata {

void add_samples(std::vector<double>& sum, const std::vector<double>& more);

// Sums; what is unknown is left out and makes the sum a lower bound.
void add_to(Figures& sum, const Figures& more);

}  // namespace strata
