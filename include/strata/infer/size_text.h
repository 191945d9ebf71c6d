// Sizes as people type them: `1x3x224x224`, `batch=8`. Errors are usage errors that say how to
// write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "strata/base/result.h"
#include "strata/graph/shape.h"

namespace strata {

// `1x3x224x224`, `Nx3xHxW`; an empty text and `scalar` have no axes.
Result<Dims> parse_dims(std::string_view sizes);
// `NAME=1x3x224x224`
Result<std::pair<std::string, Dims>> parse_input_shape(std::string_view text);
// `batch=8`
Result<std::pair<std::string, std::int64_t>> parse_size(std::string_view text);

}  // namespace strata
