// Lines of cells with a comma, a semicolon or a tab between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::lint {

// Cells in double quotes may hold delimiters, line breaks and doubled quotes.
std::vector<std::vector<std::string>> delimited_rows(std::string_view text, char delimiter);
// The one that the first line has most of; 0 if it has none.
char delimiter_of(std::string_view text);

}  // namespace strata::lint
