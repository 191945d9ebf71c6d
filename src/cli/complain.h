// What the program says on stderr.
#pragma once

#include <string_view>

namespace strata::cli {

// `strata: ` and the sentence.
void complain(std::string_view sentence);

}  // namespace strata::cli
