// Numbers as tables print them: `12,608.0`, `61.1M`, `9.78%`, `8.393651e+07`, `40.96 Mb`.
#pragma once

#include <optional>
#include <string_view>

#include "strata/lint/claims.h"

namespace strata::lint {

// Without white space at its ends.
std::string_view trimmed(std::string_view text);

// A unit or a prefix may follow the number: k, M, G, T (powers of 1000), KB to TB and Kb to Tb
// (powers of 1000, bytes), KiB to TiB, %, s, ms, us, ns. nullopt for any other text, and for
// numbers that are not finite.
std::optional<ClaimNumber> parse_number(std::string_view text);

}  // namespace strata::lint
