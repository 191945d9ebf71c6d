// The kind of target that a stream of the process leads to.
#pragma once

#include <cstddef>

namespace strata {

// The columns of the terminal there; 0: it is none, or does not say.
std::size_t terminal_columns(int descriptor);
// Its lines, likewise.
std::size_t terminal_lines(int descriptor);
// A terminal that shows more than plain lines.
bool is_rich_terminal(int descriptor);
// The user's wishes for all programs: COLUMNS (0: none) and NO_COLOR.
std::size_t wanted_columns();
bool wants_no_color();

}  // namespace strata
