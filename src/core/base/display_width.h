// Texts cut to the columns of a terminal; strata/base/number_text.h has display_width().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

// Keeps the end, which tells layers apart: `…conv.0.0`.
std::string end_of_width(std::string_view text, std::size_t width);
// Keeps the beginning: `calibrating /data/im…`.
std::string start_of_width(std::string_view text, std::size_t width);

}  // namespace strata
