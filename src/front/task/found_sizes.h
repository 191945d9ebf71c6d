// Sizes that shapes alone do not tell, and where their numbers come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/task/model.h"

namespace strata {

using FoundSizes = std::vector<std::pair<std::string, std::int64_t>>;

// Infers the model again with these sizes, and says in its notes where they come from.
Status take_sizes(LoadedModel& loaded, const ModelRequest& model, const FoundSizes& sizes,
                  std::string_view from);

// Gives sizes that depend on data the largest number that data can make them, where that is known.
Status assume_largest_sizes(LoadedModel& loaded, const ModelRequest& model);

}  // namespace strata
