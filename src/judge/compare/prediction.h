// A saved prediction as a side of a comparison.
#pragma once

#include <string_view>

#include "strata/base/result.h"
#include "strata/compare/side.h"

namespace strata::compare {

// A prediction for one device gives a row for each layer that has a kernel; one for several
// devices gives a row for each of them, and no totals.
Result<Side> read_prediction(std::string_view json, std::string_view label);

}  // namespace strata::compare
