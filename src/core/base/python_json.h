// JSON as Python's json module writes it: with NaN, Infinity and -Infinity, which JSON has not.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// The text with `null` in place of those words outside of strings.
std::string json_from_python(std::string_view text);

}  // namespace strata
