#pragma once

#include <string>
#include <string_view>

namespace strata {

// Lines as a Markdown list; those set in by two belong to the one before. A backslash goes
// before each of the characters in `marks`.
std::string markdown_list(std::string_view text, std::string_view marks);

}  // namespace strata
