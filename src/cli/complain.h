// What the program says on stderr.
#pragma once

#include <string_view>

namespace strata::cli {

// `strata: ` and the sentence.
void complain(std::string_view sentence);
// The text as it is, and the end of a line.
void say(std::string_view text);

}  // namespace strata::cli
