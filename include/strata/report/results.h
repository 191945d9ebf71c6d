// Results that strata has saved, read back to be shown together.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/document/document.h"

namespace strata {

// Each file is a document as `--format json` writes it. Errors name the file.
Result<std::vector<Document>> read_results(const std::vector<std::string>& files);

}  // namespace strata
