#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace strata {

// Members and lists of objects one a line, set in by two spaces a level; lists of numbers and of
// texts, such as shapes and samples, on one line.
std::string json_lines(const nlohmann::ordered_json& json);

}  // namespace strata
