// Documents that were saved as JSON.
#pragma once

#include <string_view>

#include "strata/base/result.h"
#include "strata/document/document.h"

namespace strata {

// Its facts, tables and notes. `label` names it in errors. What people saw beside the tables is not
// in JSON; a formula is the text that JSON has of it.
Result<Document> document_from_json(std::string_view json, std::string_view label);

}  // namespace strata
