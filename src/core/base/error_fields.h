// Errors for callers in other languages: fields by name, and the whole error as JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/error.h"

namespace strata {

// `{"name", "input"}`: the fields that are not empty.
std::vector<std::pair<std::string_view, std::string_view>> named_fields(const Error& error);

// On one line: `{"code":"open_input","fields":{"name":"x"},"message":"…"}`, with the library's own
// sentence.
std::string error_json(const Error& error);

}  // namespace strata
