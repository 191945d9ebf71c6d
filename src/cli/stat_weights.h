// `strata stat` of a file of weights, which has no graph.
#pragma once

#include "cli/command.h"
#include "cli/table_options.h"
#include "strata/profile/options.h"
#include "strata/task/weights.h"

namespace strata::cli {

// `view` has what is chosen of rows and columns. An option that needs a graph is refused by its
// name.
Result<int> stat_weights(const App& app, const WeightsRequest& request, const ProfileView& view,
                         TableOptions& table);

}  // namespace strata::cli
