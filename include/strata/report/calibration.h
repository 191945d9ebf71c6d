// The results of a calibration as a document.
#pragma once

#include "strata/calibrate/range.h"
#include "strata/calibrate/ranges_file.h"
#include "strata/document/document.h"

namespace strata {

// A row for each tensor: elements of a sample, what keeping those of all samples would
// have taken, minimum, maximum, and the range that `ranges` chooses with its SQNR. Programs also
// get scale, zero point and what is not finite.
Result<Document> calibration_document(const Calibration& calibration, const RangeOptions& ranges);

}  // namespace strata
