// Counters of a sketch as text: base64 of variable-length whole numbers, for every counter
// that is not zero, in order, the distance from the position before and the count. The
// first distance is from -1. A whole number is in bytes of 7 bits, lowest first, the
// eighth set in all but the last.
#pragma once

#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/quant/paged_counters.h"

namespace strata {

std::string packed_counts(const PagedCounters& counters);
Result<PagedCounters> unpacked_counts(std::string_view text);

}  // namespace strata
