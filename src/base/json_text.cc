#include "base/json_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace strata {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

// Brackets and braces that are open at once, at most.
int nesting_of(std::string_view text) {
  int open = 0, most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++open);
    } else if (c == ']' || c == '}') {
      --open;
    }
  }
  return most;
}

}  // namespace

Json json_from_text(std::string_view text, int deepest) {
  // With a callback, nlohmann's parser takes the square of the length of a list of objects.
  if (nesting_of(text) <= deepest) return Json::parse(text, nullptr, false);
  const auto keep = [deepest](int depth, Json::parse_event_t, Json&) { return depth <= deepest; };
  return Json::parse(text, keep, false);
}

nlohmann::json sorted_json_from_text(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

Result<Json> parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    return failure(error.what());
  }
}

}  // namespace strata
