// A saved profile as strata writes it, read fast.
#pragma once

#include <optional>
#include <string_view>

#include "strata/compare/side.h"

namespace strata::compare {

// Limits the rows of a document of this many bytes: a row takes far more memory than `{}`.
constexpr std::size_t most_rows(std::size_t bytes) { return 4096 + bytes / 32; }

// Engines record the shares of layers, and their times follow from the time of the whole: a layer
// is no more certain than that. Without an interval of the whole, layers have none.
void add_uncertainty_of_whole(Side& side);

// Equals side_of(profile_from_json(…)); nullopt where that has to be called: for files that strata
// itself would have written in another way, and for any fault in the file. Columns that are not
// compared need only be JSON.
std::optional<Side> read_plain_profile(std::string_view json, std::string_view label);

}  // namespace strata::compare
