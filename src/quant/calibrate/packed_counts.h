// Counters of a sketch as text: base64 of variable-length whole numbers. Every counter that is not
// zero is stored, in order, as its distance from the previous position and its count. The first
// distance is from -1. A whole number is stored in bytes of 7 bits, lowest first; the eighth bit is
// set in all but the last byte.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/paged_counters.h"
#include "strata/base/result.h"

namespace strata {

std::string packed_counts(const PagedCounters& counters);
Result<PagedCounters> unpacked_counts(std::string_view text);

}  // namespace strata
