// Tells the meaning of a column from its heading: `Median(ms)`, `MemRead(B)`, `99th_p`,
// `flops_per_s`.
#pragma once

#include <optional>
#include <string_view>

#include "strata/lint/claims.h"

namespace strata::lint {

struct Heading {
  ClaimColumn column;
  double factor = 1;  // from the stated unit to seconds, bytes, …
};

enum class TextColumn : std::uint8_t { None, Type, Input, Output, Index };

// A column of texts that has a meaning of its own.
TextColumn text_column(std::string_view title);
Heading parse_heading(std::string_view title);

}  // namespace strata::lint
