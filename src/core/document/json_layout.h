// JSON as lines that people can read, too.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace strata {

// Members and lists of objects one a line, set in by two spaces a level; lists of numbers and of
// texts, such as shapes and samples, on one line. Begins in a line that is set in by `level`.
// Characters that visible() writes out are escaped, so that JSON on a terminal is only text; bytes
// that are not UTF-8 become U+FFFD.
void add_json(std::string& out, const nlohmann::ordered_json& json, std::size_t level);

}  // namespace strata
