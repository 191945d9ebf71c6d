#pragma once

#include <string>
#include <string_view>

namespace strata {

// Lines broken at spaces to fit; what follows a break is set in by two more. 0: as it is.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace strata
