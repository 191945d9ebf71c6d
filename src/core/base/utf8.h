// Code points of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace strata {

struct CodePoint {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;  // else a single byte that is not part of UTF-8
};

// The first one of a text that is not empty. Overlong forms, surrogates and numbers above U+10FFFF
// are not valid.
CodePoint first_code_point(std::string_view text);

}  // namespace strata
