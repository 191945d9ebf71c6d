// What a calibration has seen, as a table.
#pragma once

#include "strata/profile/profile.h"
#include "strata/quant/range.h"
#include "strata/quant/ranges_file.h"

namespace strata {

// A row for each tensor: elements of a sample, what keeping those of all samples would
// have taken, minimum, maximum, and the range that `ranges` chooses with its SQNR. With
// `machine` more columns, such as scale and zero point.
Result<Profile> calibration_table(const Calibration& calibration, const RangeOptions& ranges,
                                  bool machine = false);

}  // namespace strata
