#include "base/json_text.h"

#include <nlohmann/json.hpp>

namespace strata {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json json_from_text(std::string_view text, int deepest) {
  if (deepest == std::numeric_limits<int>::max()) return Json::parse(text, nullptr, false);
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
