// Text from a file or from another program, made fit to be shown.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// Writes out what a terminal would act on and what would deceive a reader, as `\x1b` or `\u202e`:
// control characters, bytes that are not UTF-8, marks that turn the direction of writing, and
// characters without width. The result is one line.
std::string visible(std::string_view text);
// Like above, for a text of several lines: line breaks stay.
std::string visible_lines(std::string_view text);

// True if a code point is one of those.
bool is_hidden(char32_t code);

}  // namespace strata
