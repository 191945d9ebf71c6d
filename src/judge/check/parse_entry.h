// One budget of a file or of a line.
#pragma once

#include <string_view>

#include "strata/check/budget.h"

namespace strata::budget {

// `macs` and `320M`, `unknown` and `0`.
Result<Budget> parse_entry(std::string_view key, std::string_view amount);
// `macs` and `+1%`, or `+3M`.
Result<Budget> parse_growth(std::string_view key, std::string_view amount);
Budget ban_of(std::string_view pattern);

}  // namespace strata::budget
