// Sentences for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// Lines that are safe to print: names from files may be in them. Lines after the first are set in,
// so that no name can pass for a line of the program's own.
std::string printable(std::string_view text);

}  // namespace strata
