// `strata stat` of several models: their totals side by side.
#pragma once

#include <string>
#include <vector>

#include "cli/table_options.h"
#include "strata/task/stat.h"

namespace strata::cli {

// `request` is that of one model; what it says of rows has no effect.
Result<int> stat_several(const std::vector<std::string>& files, const StatRequest& request,
                         TableOptions& table);

}  // namespace strata::cli
