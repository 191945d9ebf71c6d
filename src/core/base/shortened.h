// Shortens long names for output (docs/limits.md): a name in a file may have megabytes, and may be
// in every row of a table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

inline constexpr std::size_t kLongestShown = 1000;  // bytes of a name, or of a cell for people
inline constexpr std::size_t kLongestSymbol = 256;  // bytes of a symbol of formulas

// The text, or `…` and its last `most` bytes, which tell names apart. It never cuts a UTF-8
// character. Takes no longer for a longer text.
std::string shortened(std::string_view text, std::size_t most = kLongestShown);

// The name of a symbol. A long one becomes its beginning, `…` and 16 hex digits of its SHA-256, so
// that different symbols stay different.
std::string symbol_name(std::string_view name);

}  // namespace strata
