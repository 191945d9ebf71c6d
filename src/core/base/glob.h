#pragma once

#include <string_view>

namespace strata {

// * is any text, also with dots and slashes; ? is one character.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace strata
