// What the program says on stderr.
#pragma once

#include <string>
#include <string_view>

namespace strata::cli {

// Lines that are safe to print: names from files may be in them. Lines after the first are set in,
// so that no name can pass for a line of the program's own.
std::string printable(std::string_view text);

// `strata: ` and the sentence.
void complain(std::string_view sentence);

}  // namespace strata::cli
