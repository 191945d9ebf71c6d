// The one place where TOML is parsed. toml++ takes seconds to compile, and calls itself for every
// level of a text, so that a file could use up the stack: texts are checked first.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "strata/base/result.h"

namespace strata {

// A key has 100 parts at most, and lists and tables are nested 100 levels deep. `file` names the
// text in errors, which also say the line.
Result<toml::table> toml_from_text(std::string_view text, const std::string& file);

}  // namespace strata
