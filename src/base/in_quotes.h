// Text from a file, made fit for an error message.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// In double quotes, on one line and at most about 100 characters; bytes that a
// terminal might act on are shown as `\x1b`.
std::string in_quotes(std::string_view text);

}  // namespace strata
