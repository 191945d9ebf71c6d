// Text from a file, made fit for an error message.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// In double quotes, on one line and at most about 100 characters; what visible() writes out, a
// quote and a backslash are shown as `\x1b`.
std::string in_quotes(std::string_view text);

}  // namespace strata
