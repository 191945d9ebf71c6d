// JSON as text, in and out. nlohmann's parser and writer are templates, which every file that calls
// them would compile again; here they are compiled once.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "strata/base/result.h"

namespace strata {

// Indents by this many spaces per level; -1: on one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent);
std::string json_text(const nlohmann::json& json, int indent);

// Discarded (`is_discarded()`) if the text is not JSON. Anything nested deeper than `deepest`
// levels is left out, so that no file can make a reader recurse without end.
nlohmann::ordered_json json_from_text(std::string_view text,
                                      int deepest = std::numeric_limits<int>::max());
nlohmann::json sorted_json_from_text(std::string_view text);

// Counts the bytes at the start of a text that can begin a JSON value: all of them unless it is
// wrong.
std::size_t bytes_of_json(std::string_view text);

// The error says where the text stops being JSON.
Result<nlohmann::ordered_json> parse_json(std::string_view text);

}  // namespace strata
