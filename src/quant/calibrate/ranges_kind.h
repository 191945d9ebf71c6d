// The kind of a calibration file, which only another one replaces.
#pragma once

#include "base/file_form.h"

namespace strata {

inline constexpr FileKind kRangesFile{FileForm::Json, "strata calibration"};

}  // namespace strata
